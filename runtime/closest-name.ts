/** The candidate that differs from `name` in the fewest letters; `null` when none is near. */
export function closestName(name: string, candidates: readonly string[]): string | null {
  const rated = candidates.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }));
  const [best] = rated.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(2, name.length / 4) ? best.candidate : null;
}

/** Levenshtein's: letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

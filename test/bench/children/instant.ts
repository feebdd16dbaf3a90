/** Epoch milliseconds with fractions: one clock for all processes of a machine. */
export function instant(): number {
  return performance.timeOrigin + performance.now();
}

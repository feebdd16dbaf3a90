import { type Finding, fine, warning } from './check.ts';

/** The Node that runs this; an older one than holdfast can use does not come so far. */
export function checkNode(): Finding {
  return fine('node', `${process.versions.node} (22.18 or later is needed)`);
}

export function checkEnvironment(warnings: readonly string[]): Finding[] {
  if (warnings.length === 0) return [fine('environment', 'every HOLDFAST_ variable is known')];
  return warnings.map((text) => warning('environment', text, 'An unknown variable has no effect'));
}

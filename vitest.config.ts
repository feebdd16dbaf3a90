import { defineConfig } from 'vitest/config';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  throw new Error(
    `The tests need Node 22.18 or later, this is ${process.versions.node}. Run them by npm or npx, which bring their own`,
  );
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // On two cores vitest would take one; most of these tests wait for a database or for another process.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});

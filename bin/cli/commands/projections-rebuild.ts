import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export function addRebuild(_projections: Command, _terminal: Terminal): void {}

import type { Board } from './board.ts';
import { generic } from './generic.ts';
import { virt } from './virt.ts';

export const BOARDS: Readonly<Record<string, Board>> = { generic, virt };

#!/usr/bin/env node
import { showSourceLines } from '../source-lines.ts';

showSourceLines();
await import('./program.ts');

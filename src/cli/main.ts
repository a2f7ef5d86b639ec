#!/usr/bin/env node
// Stack traces name the lines of the TypeScript sources for all modules that are imported after this line.
process.setSourceMapsEnabled(true);
await import('./program.ts');

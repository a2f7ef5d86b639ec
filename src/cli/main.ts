#!/usr/bin/env node
// Node maps the stacks of modules that it loads from here on to the lines of their TypeScript sources.
process.setSourceMapsEnabled(true);
await import('./program.ts');

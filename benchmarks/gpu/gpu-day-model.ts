import { findModel } from '../compare/models.ts';

/** Makes a model of a benchmark, unless it is there: `node dist/benchmarks/gpu/gpu-day-model.js NAME FOLDER`. */
const [, , name = '', folder = ''] = process.argv;
process.stdout.write(`${findModel(name, folder).file}\n`);

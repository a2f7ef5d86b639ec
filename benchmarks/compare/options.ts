import { parseArgs } from 'node:util';
import { type EndpointSpec, parseEndpoint } from './endpoint.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/** The parameters of a run. */
export interface Plan {
  /** Paddock first, then the peers. */
  endpoints: EndpointSpec[];
  models: string[];
  rounds: number;
  workloads: { name: string; workload: Workload; streams: number[] }[];
  /** The name of the run to store the results under; null only prints them. */
  save: string | null;
  /** The folder of the made models. */
  folder: string;
}

const OWN_COMMAND = 'node dist/programs/paddock.js serve --models {folder} --port {port} --log-level warn';

/** Reads the command line. Throws an `Error` that names the option. */
export function readPlan(args: string[]): Plan {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      paddock: { type: 'string', default: '' },
      model: { type: 'string', default: '0.5b-q8_0,quoting' },
      workloads: { type: 'string', default: Object.keys(WORKLOADS).join() },
      streams: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      save: { type: 'string' },
      folder: { type: 'string', default: '.cache/bench' },
    },
  });
  const wanted = values.streams?.split(',').map((text) => count(text, '--streams'));
  if (values.save !== undefined && !/^[a-z0-9-]+$/.test(values.save))
    throw new Error('--save is a name of small letters, digits and hyphens.');
  return {
    endpoints: [
      { name: 'Paddock', at: `${OWN_COMMAND} ${values.paddock}`.trim() },
      ...values.peer.map((text) => parseEndpoint(text)),
    ],
    models: values.model.split(','),
    rounds: count(values.rounds, '--rounds'),
    workloads: values.workloads.split(',').map((name) => {
      const workload = WORKLOADS[name];
      if (!workload) throw new Error(`--workloads knows no ${name}; it knows ${Object.keys(WORKLOADS).join(', ')}.`);
      return { name, workload, streams: workload.fixed ? workload.streams : (wanted ?? workload.streams) };
    }),
    save: values.save ?? null,
    folder: values.folder,
  };
}

function count(text: string, option: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} takes whole numbers from 1 on, not '${text}'.`);
  return value;
}

import { defineFamily } from '../family.ts';
import { array, enumeration, integer, nullable, object, pageList, ref, string } from '../openapi/json-schema.ts';
import { cancelBatch, createBatchJob, getBatch, listBatches } from './handler.ts';
import { batchRequestSchema } from './schema.ts';

const PLACE = '/v1/batches/{batch_id}';
const time = nullable(integer);

/** OpenAI's batches: the requests in a file, asked one after the other whenever no other request needs the model. */
export const batches = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/batches',
      handler: createBatchJob,
      id: 'createBatch',
      summary: 'Begins to ask the requests in a stored file, behind all other requests.',
      body: { name: 'BatchRequest', schema: batchRequestSchema },
      response: 'Batch',
    },
    {
      method: 'GET',
      path: '/v1/batches',
      handler: listBatches,
      id: 'listBatches',
      summary: 'The batches of this key, in pages: limit, order and after are in the query.',
      response: 'BatchList',
    },
    {
      method: 'POST',
      path: `${PLACE}/cancel`,
      handler: cancelBatch,
      id: 'cancelBatch',
      summary: 'Ends a batch; what is answered already stays.',
      response: 'Batch',
    },
    {
      method: 'GET',
      path: PLACE,
      handler: getBatch,
      id: 'getBatch',
      summary: 'How far a batch is, and the files of its results when it has ended.',
      response: 'Batch',
    },
  ],
  schemas: {
    BatchProblem: object({ code: string, message: string, param: nullable(string), line: nullable(integer) }),
    Batch: object({
      id: string,
      object: { const: 'batch' },
      endpoint: string,
      errors: nullable(object({ object: { const: 'list' }, data: array(ref('BatchProblem')) })),
      input_file_id: string,
      completion_window: string,
      status: enumeration(
        'validating',
        'failed',
        'in_progress',
        'finalizing',
        'completed',
        'expired',
        'cancelling',
        'cancelled',
      ),
      output_file_id: nullable(string),
      error_file_id: nullable(string),
      created_at: integer,
      in_progress_at: time,
      expires_at: integer,
      finalizing_at: time,
      completed_at: time,
      failed_at: time,
      expired_at: time,
      cancelling_at: time,
      cancelled_at: time,
      request_counts: object({ total: integer, completed: integer, failed: integer }),
      metadata: nullable({ type: 'object' }),
    }),
    BatchList: pageList(ref('Batch')),
  },
});

import { defineFamily } from '../family.ts';
import { array, backend, boolean, integer, listOf, nullable, object, ref, string } from '../openapi/json-schema.ts';
import { deleteModel, listModels, retrieveModel } from './handler.ts';
import { importModel } from './import.ts';
import { load, unload } from './load.ts';
import { pullModel } from './pull.ts';
import {
  loadRequestSchema,
  pullRequestSchema,
  searchRequestSchema,
  unloadRequestSchema,
  variantsRequestSchema,
} from './schema.ts';
import { listVariants, searchModels } from './search.ts';

/** The models on offer: clients list, fetch, upload and remove them. */
export const models = defineFamily({
  routes: [
    {
      method: 'GET',
      path: '/v1/models',
      handler: listModels,
      reportsState: true,
      id: 'listModels',
      summary: 'The models on offer.',
      response: 'ModelList',
    },
    {
      method: 'POST',
      path: '/v1/models/pull',
      handler: pullModel,
      manages: true,
      id: 'pullModel',
      summary:
        'Fetches a model from a hub or a URL: its progress as a stream of events or, with stream false, the model.',
      body: { name: 'PullRequest', schema: pullRequestSchema },
      response: 'Model',
      event: 'PullEvent',
    },
    {
      method: 'POST',
      path: '/v1/models/search',
      handler: searchModels,
      manages: true,
      id: 'searchHub',
      summary:
        'The repositories of the hub with these words in their names that have GGUF files, the most downloaded first.',
      body: { name: 'SearchRequest', schema: searchRequestSchema },
      response: 'RepositoryList',
    },
    {
      method: 'POST',
      path: '/v1/models/variants',
      handler: listVariants,
      manages: true,
      id: 'listVariants',
      summary: 'What there is to pull at a source: the quantizations of a repository and their sizes.',
      body: { name: 'VariantsRequest', schema: variantsRequestSchema },
      response: 'VariantList',
    },
    {
      method: 'POST',
      path: '/v1/models/import',
      handler: importModel,
      manages: true,
      id: 'importModel',
      summary: 'Stores the GGUF that is the body, in a browser; a server takes none. Always a stream of events.',
      upload: {
        filename: { required: true, schema: string, description: 'The name of the file, as in model.gguf.' },
        size: { required: false, schema: integer, description: 'The size of the file in bytes.' },
      },
      event: 'PullEvent',
    },
    {
      method: 'POST',
      path: '/v1/models/load',
      handler: load,
      manages: true,
      id: 'loadModel',
      summary: 'Loads a model, and answers when it is in memory.',
      body: { name: 'LoadRequest', schema: loadRequestSchema },
      response: 'Model',
    },
    {
      method: 'POST',
      path: '/v1/models/unload',
      handler: unload,
      manages: true,
      id: 'unloadModel',
      summary: 'Takes a model out of memory as soon as nobody uses it. A browser can not.',
      body: { name: 'UnloadRequest', schema: unloadRequestSchema },
      response: 'ModelUnloaded',
    },
    {
      method: 'GET',
      path: '/v1/models/{model_id}',
      handler: retrieveModel,
      reportsState: true,
      id: 'retrieveModel',
      summary: 'One model, with its download sources.',
      response: 'Model',
    },
    {
      method: 'DELETE',
      path: '/v1/models/{model_id}',
      handler: deleteModel,
      manages: true,
      id: 'deleteModel',
      summary: 'Removes a model and its files.',
      response: 'ModelDeleted',
    },
  ],
  schemas: {
    Model: object(
      {
        id: string,
        object: { const: 'model' },
        created: integer,
        type: { const: 'model' },
        display_name: string,
        created_at: string,
        owned_by: string,
        name: string,
        version: string,
        format: string,
        engine: string,
        description: string,
        settings: { type: 'object' },
        parameters: { type: 'object' },
        metadata: object({ author: string, tags: array(string), size: integer, cover: string }),
        context_length: integer,
        meta: object({ n_ctx: integer, n_ctx_train: integer, n_params: integer, size: integer }),
        capabilities: { type: 'object', additionalProperties: boolean },
        loaded: boolean,
        backend: nullable(backend),
      },
      { sources: array(object({ filename: string, url: string })) },
    ),
    RepositoryList: object(listOf(object({ id: string, downloads: integer, likes: integer, gated: boolean }))),
    VariantList: object({
      ...listOf(object({ source: string, quantization: nullable(string), size: integer, projector: boolean })),
      origin: string,
      named: nullable(string),
    }),
    ModelUnloaded: object({ id: string, object: { const: 'model' }, unloaded: boolean }),
    ModelDeleted: object({ id: string, object: { const: 'model' }, deleted: { const: true } }),
    PullEvent: {
      anyOf: [
        object({ status: { const: 'resolving' } }),
        object({
          status: { const: 'downloading' },
          file: string,
          completed: integer,
          total: integer,
          bytes_per_second: integer,
          seconds_left: nullable(integer),
        }),
        object({ status: { const: 'waiting' }, reason: string }),
        object({ status: { const: 'verifying' }, file: string }),
        object({ status: { const: 'done' }, already_here: boolean, model: ref('Model') }),
      ],
    },
    ModelList: object({
      ...listOf(ref('Model')),
      has_more: boolean,
      first_id: nullable(string),
      last_id: nullable(string),
    }),
  },
});

import { defineFamily } from '../family.ts';
import { enumeration, integer, object, pageList, ref, string } from '../openapi/json-schema.ts';
import { createFile, deleteFile, getFile, getFileContent, listFiles } from './handler.ts';
import { fileFormSchema } from './schema.ts';

const PLACE = '/v1/files/{file_id}';

/** OpenAI's files, for batches: their lines, and their results. */
export const files = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/files',
      handler: createFile,
      id: 'createFile',
      summary: 'Stores a file of JSON lines, each of them a request of a batch.',
      form: { name: 'FileForm', schema: fileFormSchema, files: ['file'] },
      response: 'File',
    },
    {
      method: 'GET',
      path: '/v1/files',
      handler: listFiles,
      id: 'listFiles',
      summary: 'The files of this key, in pages: purpose, limit, order and after are in the query.',
      response: 'FileList',
    },
    {
      method: 'GET',
      path: `${PLACE}/content`,
      handler: getFileContent,
      id: 'getFileContent',
      summary: 'The lines of a file.',
      response: 'FileContent',
      text: true,
    },
    {
      method: 'GET',
      path: PLACE,
      handler: getFile,
      id: 'getFile',
      summary: 'A file, without its lines.',
      response: 'File',
    },
    {
      method: 'DELETE',
      path: PLACE,
      handler: deleteFile,
      id: 'deleteFile',
      summary: 'Deletes a file that no running batch needs.',
      response: 'FileDeleted',
    },
  ],
  schemas: {
    File: object({
      id: string,
      object: { const: 'file' },
      bytes: integer,
      created_at: integer,
      expires_at: integer,
      filename: string,
      purpose: enumeration('batch', 'batch_output'),
      status: { const: 'processed' },
    }),
    FileList: pageList(ref('File')),
    FileContent: string,
    FileDeleted: object({ id: string, object: { const: 'file' }, deleted: { const: true } }),
  },
});

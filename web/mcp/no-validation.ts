/**
 * Replaces Ajv, the validator that the SDK uses for the results of tools. Ajv compiles schemas with `new Function`,
 * which the policy forbids, and it is larger than the rest of the worker. Here every result becomes text for a model,
 * so none has to match a schema.
 */
export class AjvJsonSchemaValidator {
  getValidator() {
    return (data: unknown) => ({ valid: true, data, errorMessage: undefined });
  }
}

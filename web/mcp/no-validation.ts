/**
 * Stands in for the SDK's validator of results, Ajv. That makes functions of text, which the policy forbids, and is larger than all
 * else: a result is text for a model here, which needs no schema.
 */
export class AjvJsonSchemaValidator {
  getValidator() {
    return (data: unknown) => ({ valid: true, data, errorMessage: undefined });
  }
}

import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Ajv } from 'ajv';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { PersistentVolumeClaim, Service } from 'kubernetes-models/v1';

/** A YAML document of Kubernetes, as far as every one has the same fields. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata?: { name: string };
  [field: string]: unknown;
}

/** Throws what is wrong with a manifest. */
type Validate = (manifest: Manifest) => void;

/** A class of kubernetes-models or of one of its packages, whose `validate` holds an object against the API's own schema. */
type Model = new (data: never) => { validate(): void };

const name = { type: 'string', minLength: 1, maxLength: 253 };
const port = { type: 'integer', minimum: 1, maximum: 65535 };
const closed = (properties: object, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const label = { type: 'string', maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' };

/**
 * The kinds that no package describes. These schemas are written here after the public specifications, version 1 of the Gateway API
 * Inference Extension and version 1beta1 of Kustomize, and hold only the fields that are used or often are.
 */
const OWN_SCHEMAS: Record<string, object> = {
  'inference.networking.k8s.io/v1 InferencePool': closed(
    {
      apiVersion: { const: 'inference.networking.k8s.io/v1' },
      kind: { const: 'InferencePool' },
      metadata: closed({ name, namespace: name, labels: { type: 'object', additionalProperties: label } }, ['name']),
      spec: closed(
        {
          selector: closed({ matchLabels: { type: 'object', additionalProperties: label, minProperties: 1 } }, [
            'matchLabels',
          ]),
          targetPorts: { type: 'array', minItems: 1, maxItems: 8, items: closed({ number: port }, ['number']) },
          endpointPickerRef: closed(
            {
              group: { type: 'string', maxLength: 253 },
              kind: { type: 'string', minLength: 1, maxLength: 63 },
              name,
              port: closed({ number: port }, ['number']),
              failureMode: { enum: ['FailOpen', 'FailClose'] },
            },
            ['name', 'port'],
          ),
        },
        ['selector', 'targetPorts', 'endpointPickerRef'],
      ),
    },
    ['apiVersion', 'kind', 'metadata', 'spec'],
  ),
  'kustomize.config.k8s.io/v1beta1 Kustomization': closed(
    {
      apiVersion: { const: 'kustomize.config.k8s.io/v1beta1' },
      kind: { const: 'Kustomization' },
      namespace: name,
      resources: { type: 'array', minItems: 1, items: { type: 'string' } },
      labels: { type: 'array', items: closed({ pairs: { type: 'object', additionalProperties: label } }, ['pairs']) },
      images: { type: 'array', items: closed({ name, newName: name, newTag: label }, ['name']) },
      patches: { type: 'array', items: closed({ path: { type: 'string' } }, ['path']) },
    },
    ['apiVersion', 'kind', 'resources'],
  ),
};

const MODELS: Record<string, Model> = {
  'apps/v1 Deployment': Deployment,
  'v1 Service': Service,
  'v1 PersistentVolumeClaim': PersistentVolumeClaim,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'monitoring.coreos.com/v1 ServiceMonitor': ServiceMonitor,
  'keda.sh/v1alpha1 ScaledObject': ScaledObject,
  'gateway.networking.k8s.io/v1 HTTPRoute': HTTPRoute,
};

const ajv = new Ajv({ allErrors: true });

/** Holds a manifest against the schema of its kind. Throws if a value is wrong, a field is unknown, or the kind has no schema. */
export const validate: Validate = (manifest) => {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const schema = OWN_SCHEMAS[kind];
  if (schema && !ajv.validate(schema, manifest)) throw new Error(`${kind}: ${ajv.errorsText()}`);
  if (schema) return;
  const model = MODELS[kind];
  if (!model) throw new Error(`${kind} has no schema here`);
  const { watched, unread } = watchReads(new model(manifest as never));
  watched.validate();
  const unknown = unread();
  if (unknown.length > 0) throw new Error(`${kind} has unknown fields: ${unknown.join(', ')}`);
};

/**
 * Watches which fields are read. The packages' validators ignore unknown fields, as Kubernetes itself did for long, but they read
 * each field that they know.
 */
function watchReads<T extends object>(whole: T): { watched: T; unread: () => string[] } {
  const unread = new Set<string>();
  const watch = <V>(value: V, path: string): V => {
    if (typeof value !== 'object' || value === null) return value;
    const copy = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
    for (const [field, inner] of Object.entries(value)) {
      copy[field] = watch(inner, `${path}.${field}`);
      unread.add(`${path}.${field}`);
    }
    return new Proxy(copy, {
      get(target, field) {
        unread.delete(`${path}.${String(field)}`);
        return Reflect.get(target, field);
      },
    });
  };
  return { watched: watch(whole, ''), unread: () => [...unread] };
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { SETTINGS, type Setting } from '../../src/serve/config/settings.ts';
import { type Manifest, validate } from './kubernetes-schemas.ts';

const FOLDER = 'deploy/kubernetes';

function read(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}`);
    return document.toJS();
  });
}

const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join(FOLDER, name));
const kustomizations = files.filter((file) => file.endsWith('kustomization.yaml'));
const patches = files.filter((file) => file.endsWith('-patch.yaml'));
const manifests = files
  .filter((file) => !patches.includes(file))
  .flatMap((file) => read(file).map((manifest) => ({ file, manifest })));

/** The manifest of a kind; there is one of each. */
function the(kind: string): Manifest {
  const [found, ...others] = manifests.filter(({ manifest }) => manifest.kind === kind);
  if (!found || others.length > 0) throw new Error(`there is not one ${kind}, but ${others.length + (found ? 1 : 0)}`);
  return found.manifest;
}

/** The value at a path such as `spec.ports.0.name`; undefined if there is none. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, field) => (inner as Record<string, unknown> | undefined)?.[field], value);
}

/** The names of the items of a list. */
function namesAt(value: unknown, path: string): string[] {
  return (at(value, path) as { name: string }[]).map(({ name }) => name);
}

/** Puts a value at a path. */
function put(manifest: Manifest, path: string, value: unknown): Manifest {
  const copy = structuredClone(manifest);
  const parent = path.includes('.') ? at(copy, path.slice(0, path.lastIndexOf('.'))) : copy;
  Object.assign(parent as object, { [path.slice(path.lastIndexOf('.') + 1)]: value });
  return copy;
}

describe('the manifests for Kubernetes', () => {
  it.each(manifests.map(({ file, manifest }) => [`${file}: ${manifest.kind}`, manifest] as const))(
    'hold against the schema of their kind: %s',
    (_, manifest) => {
      expect(() => validate(manifest)).not.toThrow();
    },
  );

  it.each([
    ['Deployment', 'spec.replicas', 'three', /replicas must be integer/],
    ['Deployment', 'spec.template.spec.securtyContext', {}, /unknown fields: .*securtyContext/],
    ['Deployment', 'spec.selector', undefined, /selector/],
    ['ScaledObject', 'spec.maxReplicas', 3, /unknown fields: .*maxReplicas/],
    ['InferencePool', 'spec.targetPorts', [{ number: 0 }], /number must be >= 1/],
  ])('would not hold if the %s had %s: %j', (kind, path, value, message) => {
    expect(() => validate(put(the(kind), path, value))).toThrow(message);
  });

  it('are all of those that there should be, each in one base', () => {
    expect(
      manifests
        .map(({ manifest }) => manifest.kind)
        .filter((kind) => kind !== 'Kustomization')
        .sort(),
    ).toEqual([
      'Deployment',
      'HTTPRoute',
      'InferencePool',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'ScaledObject',
      'Service',
      'ServiceMonitor',
    ]);
  });
});

describe('the bases of kustomize', () => {
  it.each(kustomizations)('name files and bases that there are: %s', (file) => {
    const [kustomization] = read(file) as unknown as { resources: string[]; patches?: { path: string }[] }[];
    const named = [...(kustomization?.resources ?? []), ...(kustomization?.patches ?? []).map(({ path }) => path)];
    expect(named.filter((name) => !existsSync(normalize(join(file, '..', name))))).toEqual([]);
  });

  it('leave no file out', () => {
    const named = kustomizations.flatMap((file) => {
      const [{ resources = [], patches: changed = [] } = {}] = read(file) as unknown as {
        resources?: string[];
        patches?: { path: string }[];
      }[];
      return [...resources, ...changed.map(({ path }) => path)].map((name) => normalize(join(file, '..', name)));
    });
    expect(files.filter((file) => !kustomizations.includes(file) && !named.includes(file))).toEqual([]);
  });

  it('patch the container that there is', () => {
    for (const patch of patches.flatMap(read)) {
      expect([patch.kind, at(patch, 'metadata.name')]).toEqual(['Deployment', at(the('Deployment'), 'metadata.name')]);
      expect(namesAt(patch, 'spec.template.spec.containers')).toEqual(['paddock']);
    }
  });
});

describe('what the manifests say of each other', () => {
  const deployment = the('Deployment');
  const pod = at(deployment, 'spec.template.spec');
  const container = at(pod, 'containers.0');
  const labels = at(deployment, 'spec.template.metadata.labels');
  const name = at(deployment, 'metadata.name');

  it('selects the pods of the deployment', () => {
    expect(at(deployment, 'spec.selector.matchLabels')).toEqual(labels);
    expect(at(the('Service'), 'spec.selector')).toEqual(labels);
    expect(at(the('PodDisruptionBudget'), 'spec.selector.matchLabels')).toEqual(labels);
    expect(at(the('InferencePool'), 'spec.selector.matchLabels')).toEqual(labels);
    expect(at(the('NetworkPolicy'), 'spec.podSelector.matchLabels')).toEqual(labels);
    expect(at(the('ServiceMonitor'), 'spec.selector.matchLabels')).toEqual(at(the('Service'), 'metadata.labels'));
    expect(at(the('ScaledObject'), 'spec.scaleTargetRef')).toMatchObject({ kind: 'Deployment', name });
  });

  it('leads to the port that the server listens on', () => {
    const port = SETTINGS.port.fallback({});
    expect(at(container, 'ports')).toEqual([{ name: 'http', containerPort: port }]);
    expect(at(the('Service'), 'spec.ports.0')).toMatchObject({ name: 'http', targetPort: 'http' });
    expect(at(the('ServiceMonitor'), 'spec.endpoints.0.port')).toBe('http');
    expect(at(the('InferencePool'), 'spec.targetPorts')).toEqual([{ number: port }]);
    expect(at(the('NetworkPolicy'), 'spec.ingress.0.ports')).toEqual([{ protocol: 'TCP', port }]);
    for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe'])
      expect(at(container, `${probe}.httpGet.port`)).toBe('http');
    expect(at(the('HTTPRoute'), 'spec.rules.0.backendRefs')).toEqual([
      { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: at(the('InferencePool'), 'metadata.name') },
    ]);
  });

  it('mounts each volume once, and the models from the claim', () => {
    expect(namesAt(container, 'volumeMounts').toSorted()).toEqual(namesAt(pod, 'volumes').toSorted());
    const models = (at(pod, 'volumes') as { name: string }[]).find((volume) => volume.name === 'models');
    expect(at(models, 'persistentVolumeClaim.claimName')).toBe(at(the('PersistentVolumeClaim'), 'metadata.name'));
  });

  it('leaves the pod time to end: preStop, the grace of running requests and the freeing of models', () => {
    const variables = at(container, 'env') as { name: string; value: string }[];
    const grace = Number(variables.find((variable) => variable.name === 'PADDOCK_SHUTDOWN_GRACE')?.value);
    const needed = Number(at(container, 'lifecycle.preStop.sleep.seconds')) + grace + 3;
    expect(at(pod, 'terminationGracePeriodSeconds')).toBeGreaterThan(needed);
  });

  it('gives the container few rights', () => {
    expect(at(pod, 'securityContext')).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(at(pod, 'automountServiceAccountToken')).toBe(false);
    expect(at(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('sets variables of the server that there are', () => {
    const known = Object.values(SETTINGS).map((setting) => (setting as Setting<unknown>).env);
    const set = [deployment, ...patches.flatMap(read)].flatMap((of) =>
      namesAt(of, 'spec.template.spec.containers.0.env'),
    );
    expect(set.length).toBeGreaterThan(3);
    expect(set.filter((variable) => !known.includes(variable))).toEqual([]);
  });

  it('scales by metrics that Paddock has', () => {
    const metrics = readFileSync('src/telemetry/metrics.ts', 'utf8');
    const triggers = at(the('ScaledObject'), 'spec.triggers') as { metadata: { query: string } }[];
    const asked = triggers.flatMap(({ metadata }) =>
      [...metadata.query.matchAll(/\bpaddock_\w+/g)].map(([name]) => name),
    );
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.filter((name) => !metrics.includes(`'${name}'`))).toEqual([]);
  });
});

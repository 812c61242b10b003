/** Takes away what a sweep put on a swarm: its service, its secret, its config. */

import type Docker from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { DOCKER_LABEL, type Label, ownerLives } from "../../testbed/label.ts";

interface Labelled {
  readonly ID: string;
  readonly Spec?: { readonly Name?: string; readonly Labels?: Readonly<Record<string, string>> };
}

/** Of one run; null when nothing is left, or why the swarm could not be told. */
export async function removeLabelled(docker: Docker, label: Label): Promise<string | null> {
  return remove(docker, (of) => of === label).then(
    () => null,
    (error: Error) => error.message,
  );
}

/** Of all runs that are dead, where the daemon leads a swarm. */
export async function reapSwarm(docker: Docker): Promise<readonly string[]> {
  try {
    return await remove(docker, (label) => !ownerLives(label));
  } catch {
    // It leads none.
    return [];
  }
}

async function remove(docker: Docker, isMeant: (label: Label) => boolean): Promise<readonly string[]> {
  const filters = { label: [DOCKER_LABEL] };
  const meant = (found: unknown): readonly Labelled[] =>
    (found as readonly Labelled[]).filter(({ Spec }) => isMeant(Spec?.Labels?.[DOCKER_LABEL] ?? ""));
  const services = meant(await docker.listServices({ filters }));
  for (const { ID } of services) await docker.getService(ID).remove();
  const rest = [
    ...meant(await docker.listSecrets({ filters })).map(({ ID, Spec }) => ({
      ...Spec,
      of: docker.getSecret(ID),
    })),
    ...meant(await docker.listConfigs({ filters })).map(({ ID, Spec }) => ({
      ...Spec,
      of: docker.getConfig(ID),
    })),
  ];
  for (const { of } of rest) await removed(() => of.remove());
  return services.map(({ ID, Spec }) => `service ${Spec?.Name ?? ID}`);
}

/** What a service has used is in use for a moment more. */
async function removed(attempt: () => Promise<unknown>): Promise<void> {
  for (let left = 20; ; left--) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (left === 0 || !/in use/.test((error as Error).message)) throw error;
      await sleep(250);
    }
  }
}

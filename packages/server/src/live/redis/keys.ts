import { createHash } from 'node:crypto'

/** The key names of an organization. All lie in the slot of `{organization}`. */
export type Keys = {
  window(organization: number): string
  /** The window of an API key that has a share of the organization's. */
  share(organization: number, key: number): string
  counters(organization: number, day: number): string
  states(organization: number): string
  streams(organization: number): string
}

/** The prefix of all keys. Change it when an older release would misread the new contents. */
export const KEY_PREFIX = 'fg1'

/** The keys of a deployment. Its secret separates it from other deployments in the same Redis. */
export function keysOf(secret: Buffer): Keys {
  const deployment = createHash('sha256').update(secret).digest('hex').slice(0, 12)
  const key = (organization: number, rest: string) =>
    `${KEY_PREFIX}:${deployment}:{${organization}}:${rest}`
  return {
    window: (organization) => key(organization, 'window'),
    share: (organization, apiKey) => key(organization, `share:${apiKey}`),
    counters: (organization, day) => key(organization, `quota:${day}`),
    states: (organization) => key(organization, 'states'),
    streams: (organization) => key(organization, 'streams'),
  }
}

const KINDS: Record<string, string> = {
  window: 'the rate window of an organization',
  share: 'the rate window of an API key',
  quota: 'the counters of a daily quota',
  states: 'the current states of objects',
  streams: 'the places of open streams',
}

/** The contents of a key, in words. */
export function kindOf(key: string): string {
  const [, kind = ''] = /\}:([a-z]+)/.exec(key) ?? []
  return KINDS[kind] ?? 'its data'
}

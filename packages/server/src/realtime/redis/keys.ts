import { createHash } from 'node:crypto'

/** The names of an organization's keys, which all lie in the slot of `{organization}`. */
export type Keys = {
  window(organization: number): string
  counters(organization: number, day: number): string
  states(organization: number): string
}

/** All keys begin with it. It changes when an older program would read wrongly what is kept. */
export const KEY_PREFIX = 'fg1'

/** Those of a deployment, told from others by its secret: several can share a Redis. */
export function keysOf(secret: Buffer): Keys {
  const deployment = createHash('sha256').update(secret).digest('hex').slice(0, 12)
  const key = (organization: number, rest: string) =>
    `${KEY_PREFIX}:${deployment}:{${organization}}:${rest}`
  return {
    window: (organization) => key(organization, 'window'),
    counters: (organization, day) => key(organization, `quota:${day}`),
    states: (organization) => key(organization, 'states'),
  }
}

import type { Credential } from '../../domain/credential.ts'
import type { StreamPlace, StreamPlaces } from '../../live/realtime.ts'

/** The streams of a key are counted under this number and its id. No organization and no test key has such a number. */
const KEYS = 2 ** 51

/**
 * Takes a place for a stream. A key with a share of the window may hold as many streams of its organization's as its
 * share. Null if none is free.
 */
export async function takePlace(
  places: StreamPlaces,
  { id, organization, scope }: Pick<Credential, 'id' | 'organization' | 'scope'>,
): Promise<StreamPlace | null> {
  const share = scope?.windowShare ?? null
  if (share === null) return places.take(organization)
  const own = await places.take(KEYS + id, share)
  if (own === null) return null
  let shared: StreamPlace | null = null
  try {
    shared = await places.take(organization)
  } finally {
    if (shared === null) own.free()
  }
  return shared && both(own, shared)
}

function both(own: StreamPlace, shared: StreamPlace): StreamPlace {
  return {
    free() {
      own.free()
      shared.free()
    },
  }
}

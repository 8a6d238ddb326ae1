/** Why a stream of events ended. `slow`: the client took nothing for long. `resync`: its cursor has expired. */
export type StreamEnd = 'client' | 'slow' | 'key' | 'subscription' | 'drain' | 'resync' | 'error'

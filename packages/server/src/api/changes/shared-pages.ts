import type { TakenRoom } from './page-room.ts'

type Read = { room: TakenRoom } | { status: number }

/** Reads a page. Streams at the same place, which have the same `key`, read it together. */
export type SharedPages = <Made extends Read>(
  key: string,
  read: () => Promise<Made>,
) => Promise<Made>

type Shared = { read: Promise<Read>; readers: number }

export function openSharedPages(): SharedPages {
  const pages = new Map<string, Shared>()

  function begin(key: string, read: () => Promise<Read>): Shared {
    const reading = read().finally(() => pages.delete(key))
    const shared: Shared = { read: reading.then((made) => freedByLast(made, shared)), readers: 0 }
    pages.set(key, shared)
    return shared
  }

  return <Made extends Read>(key: string, read: () => Promise<Made>) => {
    const shared = pages.get(key) ?? begin(key, read)
    shared.readers += 1
    return shared.read as Promise<Made>
  }
}

/** The same page, whose room is free when the last reader has freed it. */
function freedByLast(read: Read, shared: Shared): Read {
  if ('status' in read) return read
  const { room } = read
  const free = () => {
    shared.readers -= 1
    if (shared.readers === 0) room.free()
  }
  return { ...read, room: { ...room, free } }
}

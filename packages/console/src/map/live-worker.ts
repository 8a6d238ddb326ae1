/// <reference lib="webworker" />
import type { LiveObjects } from '../api/types.ts'
import type { LiveMessage } from './live-message.ts'
import { pack } from './packed.ts'

/**
 * Reads the stream of live objects apart from the page: the first event of a large fleet is more
 * than a megabyte of JSON, and parsing it would hold up several frames.
 */

/** EventSource tries again by itself while the connection breaks, but not after a refusal. */
const RETRY_REFUSED_MS = 5_000

const page = self as unknown as DedicatedWorkerGlobalScope
/** The page names the stream in this worker's name. */
const url = page.name

function connect(): void {
  const stream = new EventSource(url)
  let first = true
  stream.onopen = () => {
    first = true
    tell({ state: 'open' })
  }
  stream.onerror = () => {
    tell({ state: 'lost' })
    if (stream.readyState !== EventSource.CLOSED) return
    stream.close()
    setTimeout(connect, RETRY_REFUSED_MS)
  }
  stream.addEventListener('objects', (event: MessageEvent<string>) => {
    const { items } = JSON.parse(event.data) as LiveObjects
    const packed = pack(items)
    tell({ packed, all: first }, [packed.buffer])
    first = false
  })
  stream.addEventListener('gone', (event: MessageEvent<string>) => {
    const { ids } = JSON.parse(event.data) as { ids: number[] }
    tell({ gone: ids })
  })
}

function tell(message: LiveMessage, transferred: Transferable[] = []): void {
  page.postMessage(message, transferred)
}

connect()

/// <reference lib="webworker" />
import type { LiveObjects } from '../../api/types.ts'
import type { LiveMessage } from './live-message.ts'
import { pack } from './packed.ts'

/**
 * Reads the stream of live objects in a worker. The first event of a large fleet is more than 1 MB of
 * JSON, and parsing it in the page would hold up several frames.
 */

/** EventSource reconnects after a broken connection, but not after a refusal. */
const RETRY_REFUSED_MS = 5_000

const page = self as unknown as DedicatedWorkerGlobalScope
/** The worker's name is the address of the stream. */
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
    // The stream may have been lost for a while.
    if (first) tell({ settings: 'outdated' })
    first = false
  })
  stream.addEventListener('gone', (event: MessageEvent<string>) => {
    const { ids } = JSON.parse(event.data) as { ids: number[] }
    tell({ gone: ids })
  })
  stream.addEventListener('settings', () => tell({ settings: 'outdated' }))
}

function tell(message: LiveMessage, transferred: Transferable[] = []): void {
  page.postMessage(message, transferred)
}

connect()

import type { LiveMessage } from './live-message.ts'

/** Opens the stream of an organization's live objects in a worker. Returns a function that closes it. */
export function openLiveStream(
  organization: number,
  take: (message: LiveMessage) => void,
): () => void {
  const worker = new Worker(new URL('./live-worker.ts', import.meta.url), {
    type: 'module',
    name: new URL(`/admin/v1/organizations/${organization}/live`, location.href).href,
  })
  worker.onmessage = (event: MessageEvent<LiveMessage>) => take(event.data)
  worker.onerror = () => take({ state: 'lost' })
  return () => worker.terminate()
}

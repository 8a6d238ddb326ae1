import type { NamesAnswer, NamesQuestion } from './names-message.ts'
import type { Found } from './object-names.ts'

/** The list is loaded again after this time, because objects are added and renamed. */
const STALE_MS = 60_000

export type Names = {
  find(typed: string, most: number): Promise<Found>
  close(): void
}

/** Finds objects of an organization by name, ident or plate. The first search loads the list. */
export function openNames(organization: number): Names {
  const asked = new Map<number, (answer: NamesAnswer) => void>()
  let worker: Worker | undefined
  let question = 0
  let loadedAt = Number.NEGATIVE_INFINITY

  function start(): Worker {
    const started = new Worker(new URL('./names-worker.ts', import.meta.url), {
      type: 'module',
      name: new URL(`/admin/v1/organizations/${organization}/objects`, location.href).href,
    })
    started.onmessage = ({ data }: MessageEvent<NamesAnswer>) => {
      asked.get(data.question)?.(data)
      asked.delete(data.question)
    }
    return started
  }

  return {
    find(typed, most) {
      worker ??= start()
      const anew = performance.now() - loadedAt > STALE_MS
      if (anew) loadedAt = performance.now()
      const message: NamesQuestion = { question: ++question, typed, most, anew }
      worker.postMessage(message)
      return new Promise((resolve, reject) => {
        asked.set(message.question, (answer) => {
          if ('found' in answer) resolve(answer.found)
          else {
            loadedAt = Number.NEGATIVE_INFINITY
            reject(new Error(answer.error))
          }
        })
      })
    },
    close() {
      worker?.terminate()
      asked.clear()
    },
  }
}

import { type KnownObjects, knownObjects } from './known-objects.ts'
import { type ListNumber, listNumber } from './list-number.ts'
import type { NamesAnswer, NamesQuestion, NamesResult } from './names-message.ts'
import type { Found } from './object-names.ts'

export type Names = {
  readonly list: ListNumber
  find(typed: string, most: number): Promise<Found>
  /** The ids of all objects that contain every typed word, by name. */
  matching(typed: string): Promise<Float64Array<ArrayBuffer>>
  /** The objects that were asked for so far. */
  readonly known: KnownObjects
  close(): void
}

type Asked = { typed: string; most: number } | { matching: string } | { ids: number[] }

/** Finds objects of an organization, and names them. The first question loads the list. */
function openNames(organization: number): Names {
  const asked = new Map<number, (answer: NamesAnswer) => void>()
  let worker: Worker | undefined
  let question = 0
  const list = listNumber(() => performance.now())

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

  /** Rejects if the list could not be loaded. */
  function ask<Result extends NamesResult>(about: Asked): Promise<Result> {
    worker ??= start()
    const message: NamesQuestion = { question: ++question, list: list.current(), ...about }
    worker.postMessage(message)
    return new Promise((resolve, reject) => {
      asked.set(message.question, (answer) => {
        if ('error' in answer) reject(new Error(answer.error))
        else resolve(answer.result as Result)
      })
    })
  }

  return {
    list,
    known: knownObjects(list, (ids) => ask({ ids })),
    find: (typed, most) => ask({ typed, most }),
    matching: (typed) => ask({ matching: typed }),
    close() {
      worker?.terminate()
      worker = undefined
      for (const answer of asked.values()) answer({ question: 0, error: 'closed' })
      asked.clear()
    },
  }
}

let opened: { organization: number; names: Names } | undefined

/** The names of an organization. The map and the search share them: one worker keeps one list. */
export function namesOf(organization: number): Names {
  if (opened?.organization !== organization) {
    opened?.names.close()
    opened = { organization, names: openNames(organization) }
  }
  return opened.names
}

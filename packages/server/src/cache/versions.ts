import type { Change, Topic } from '../store/store.ts'

/** The newest known change of each topic of an organization. */
export type Versions = {
  /** Reads the versions if they are not known. The result includes changes that are noted later. */
  read(): Promise<(topic: Topic) => number>
  note(change: Change): void
  /** Lets the next `read` ask the store, if changes may have been missed. */
  forget(): void
}

export function keptVersions(ask: () => Promise<Record<Topic, number>>): Versions {
  let known: Promise<Record<Topic, number>> | undefined
  const changedAt: Partial<Record<Topic, number>> = {}

  function asked(): Promise<Record<Topic, number>> {
    known ??= ask().catch((error) => {
      known = undefined
      throw error
    })
    return known
  }

  return {
    async read() {
      const read = await asked()
      return (topic) => Math.max(read[topic], changedAt[topic] ?? 0)
    },
    note({ topic, sequence }) {
      changedAt[topic] = sequence
    },
    forget() {
      known = undefined
    },
  }
}

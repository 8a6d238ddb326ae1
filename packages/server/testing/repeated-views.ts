import type { ChangeLogStore } from '../src/engine/store/change-log.ts'

/** A change log that runs work twice, as after a failure of the transaction that its view shared. */
export function repeatedViews(changeLog: ChangeLogStore, isFailing = () => true): ChangeLogStore {
  return {
    ...changeLog,
    async view(...args) {
      if (isFailing()) await changeLog.view(...args)
      return changeLog.view(...args)
    },
  }
}

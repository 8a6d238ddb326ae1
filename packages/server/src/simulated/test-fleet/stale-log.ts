import { type ChangeLogStore, newEpoch } from '../../store/change-log.ts'

/** A change log for the scenario `stale`: each view has an epoch of its own, so no cursor is valid. */
export function staleLog(log: ChangeLogStore): ChangeLogStore {
  return {
    ...log,
    view: (organization, work, signal) =>
      log.view(organization, (view) => work({ ...view, epoch: newEpoch() }), signal),
  }
}

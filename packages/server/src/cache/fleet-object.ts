import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { ObjectState } from '../domain/position/object-state.ts'

/** An object with its state at one moment. Immutable: a newer one replaces it. */
export type FleetObject = {
  readonly object: MonitoredObject
  readonly state: ObjectState
}

/**
 * The same object is returned until a newer one replaces it, so that answers made from it can be kept
 * with it.
 */
export type CachedObject = FleetObject & { readonly made: ObjectAnswers }
export type ObjectAnswers = {
  detail?: { body: string; bytes: number; tag: string }
  latest?: Buffer
}

/** An object of the organization, before its state is read. */
export type OwnObject = {
  readonly object: MonitoredObject
  /** The object with the newest state that was read for it. */
  existing: CachedObject | undefined
}

/** All objects of an organization by id. */
export type Roster = ReadonlyMap<number, OwnObject>

import type { ObjectState } from '../../domain/object-state.ts'
import type { TrackedObject } from '../../domain/tracked-object.ts'
import type { ObjectShifts } from './object-shifts.ts'

/** An object with all that the fold needs to know of it. */
export type Tracked = { object: TrackedObject; state: ObjectState; shifts: ObjectShifts }

/** Finds an object of the transaction's organization. Null if it has no object with that id. */
export type FindTracked = (object: number) => Tracked | null

import type { ObjectState } from '../../domain/object-state.ts'
import type { TrackedObject } from '../../domain/tracked-object.ts'
import type { ObjectShifts } from './object-shifts.ts'

/** An object as the fold needs it. */
export type Tracked = { object: TrackedObject; state: ObjectState; shifts: ObjectShifts }

/** An object of the organization whose transaction it is; null where it has none of that id. */
export type FindTracked = (object: number) => Tracked | null

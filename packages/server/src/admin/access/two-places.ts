import {
  ADMINISTRATORS,
  type AdminOperation,
  type Call,
  type Method,
  OPERATORS,
  OVERSEERS,
  operations,
  SUPPORTERS,
} from '../admin-api.ts'
import { organizationOf } from '../operations/organizations.ts'

/** Operations on what belongs to the deployment or to an organization: the same acts in both places. */
export type Place = 'deployment' | 'organization'

/** An operation in both places. The path is below that of the place, and ids get `Organization` into their name. */
export type Placed = Omit<AdminOperation, 'tag' | 'who' | 'id' | 'status' | 'answers' | 'takes'> &
  Partial<Pick<AdminOperation, 'status' | 'answers'>> & {
    /** The beginning of the id, and the rest: `list`, `People`. */
    verb: string
    noun: string
    takes?: Record<Place, NonNullable<AdminOperation['takes']>>
    /** Whether it answers for an organization that was deleted too. */
    outlives?: true
  }

const BASE: Record<Place, string> = {
  deployment: '',
  organization: '/organizations/{organization}',
}

/** People of the deployment decide about all of it. Those of an organization read and change what is theirs. */
export function inBothPlaces(tag: string, given: readonly Placed[]): AdminOperation[] {
  return (['deployment', 'organization'] as const).flatMap((place) =>
    operations(
      tag,
      given.map(({ verb, noun, takes, path, outlives, ...each }) => ({
        ...each,
        id: `${verb}${place === 'organization' ? 'Organization' : ''}${noun}`,
        path: `${BASE[place]}${path}`,
        who: whoOf(place, each.method),
        ...(place === 'organization' && !outlives && { run: ofExisting(each.run) }),
        ...(takes !== undefined && { takes: takes[place] }),
      })),
    ),
  )
}

/** Throws `Refused` if the organization does not exist. */
function ofExisting(run: AdminOperation['run']): AdminOperation['run'] {
  return async (call) => {
    await organizationOf(call)
    return run(call)
  }
}

function whoOf(place: Place, method: Method) {
  if (place === 'deployment') return method === 'GET' ? SUPPORTERS : OPERATORS
  return method === 'GET' ? OVERSEERS : ADMINISTRATORS
}

/** The place of a call, and its organization. */
export function placeOf({ params }: Call): { place: Place; organization: number | null } {
  const organization = params.organization ?? null
  return { place: organization === null ? 'deployment' : 'organization', organization }
}

import {
  type Act,
  type ActCall,
  ADMINISTRATORS,
  acts,
  type GivenAct,
  type Method,
  OPERATORS,
  OVERSEERS,
  organizationOf,
  SUPPORTERS,
} from './act.ts'

/** Acts on what belongs to the deployment or to an organization: the same ones in both places. */
export type Place = 'deployment' | 'organization'

/** An act in both places. The path is below that of the place, and ids get `Organization` into their name. */
type Placed<Answer> = Omit<GivenAct<Answer>, 'who' | 'id' | 'takes'> & {
  /** The beginning of the id, and the rest: `list`, `People`. */
  verb: string
  noun: string
  takes?: Record<Place, NonNullable<Act['takes']>>
  /** Whether it answers for an organization that was deleted too. */
  outlives?: true
}

type PlacedActs<Answers> = Record<Place, { readonly [Name in keyof Answers]: Act<Answers[Name]> }>

const BASE: Record<Place, string> = {
  deployment: '',
  organization: '/organizations/{organization}',
}

/** People of the deployment decide about all of it. Those of an organization read and change what is theirs. */
export function inBothPlaces<Answers extends Record<string, unknown>>(
  tag: string,
  given: { readonly [Name in keyof Answers]: Placed<Answers[Name]> },
): PlacedActs<Answers> {
  const made = (place: Place) => {
    const named = Object.entries<Placed<unknown>>(given).map(([name, each]) => [
      name,
      placed(place, each),
    ])
    return acts<Answers>(tag, Object.fromEntries(named))
  }
  return { deployment: made('deployment'), organization: made('organization') }
}

function placed(place: Place, { verb, noun, takes, outlives, ...each }: Placed<unknown>) {
  return {
    ...each,
    id: `${verb}${place === 'organization' ? 'Organization' : ''}${noun}`,
    path: `${BASE[place]}${each.path}`,
    who: whoOf(place, each.method),
    ...(place === 'organization' && !outlives && { run: ofExisting(each.run) }),
    ...(takes !== undefined && { takes: takes[place] }),
  }
}

/** Throws `Refused` if the organization does not exist. */
function ofExisting(run: Act['run']): Act['run'] {
  return async (call) => {
    await organizationOf(call)
    return run(call)
  }
}

function whoOf(place: Place, method: Method) {
  if (place === 'deployment') return method === 'GET' ? SUPPORTERS : OPERATORS
  return method === 'GET' ? OVERSEERS : ADMINISTRATORS
}

/** Those of the deployment, then those of an organization. */
export function allOf<Answers>({ deployment, organization }: PlacedActs<Answers>): Act[] {
  return [...Object.values<Act>(deployment), ...Object.values<Act>(organization)]
}

/** The place of a call, and its organization. */
export function placeOf({ params }: Pick<ActCall, 'params'>): {
  place: Place
  organization: number | null
} {
  const organization = params.organization ?? null
  return { place: organization === null ? 'deployment' : 'organization', organization }
}

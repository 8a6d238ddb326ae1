import { type PlaceKind, usePlaces, useServer } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { isKind, type Place } from '../ui/place-kinds.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { NotFound } from '../ui/state/NotFound.tsx'
import { EditPlace } from './EditPlace.tsx'
import './PlacesPage.css'

/** `place` is an id, or `new`. */
type PlacePageProps = { organization: OrganizationSummary; kind: string; place: string }

export function PlacePage({ organization, kind, place }: PlacePageProps) {
  if (!isKind(kind)) return <NotFound />
  return <Found organization={organization} kind={kind} place={place} />
}

function Found({ organization, kind, place }: PlacePageProps & { kind: PlaceKind }) {
  const places = usePlaces(organization.id, kind)
  const server = useServer()
  return (
    <Loaded query={places}>
      {({ items }) => {
        const all = items as Place[]
        const found = all.find(({ id }) => String(id) === place)
        if (found === undefined && place !== 'new') return <NotFound />
        return (
          <Loaded query={server}>
            {(answered) => (
              <EditPlace
                organization={organization}
                server={answered}
                kind={kind}
                place={found ?? null}
                others={all.filter((each) => each !== found)}
              />
            )}
          </Loaded>
        )
      }}
    </Loaded>
  )
}

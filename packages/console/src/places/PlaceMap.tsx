import { Suspense } from 'react'
import type { PlaceKind } from '../api/queries.ts'
import type { OrganizationSummary, Server } from '../api/types.ts'
import { t } from '../language/text.ts'
import { lazily } from '../ui/page/lazily.ts'
import type { Place } from '../ui/place-kinds.ts'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { draftOf, type PlaceDraft } from './place-draft.ts'

const PlaceEditor = lazily(() => import('../map/index.ts'), 'PlaceEditor')

type PlaceMapProps = {
  organization: OrganizationSummary
  server: Server
  kind: PlaceKind
  draft: PlaceDraft
  others: Place[]
  onChange: (part: Partial<PlaceDraft>) => void
}

/** A map to draw a place on, with the others of its kind. */
export function PlaceMap({ kind, draft, others, onChange, ...rest }: PlaceMapProps) {
  const drafts = others.map((each) => draftOf(kind, each))
  return (
    <section className="place-map" aria-label={t('Map')}>
      <Suspense fallback={<Skeleton />}>
        {kind === 'geofences' && (
          <PlaceEditor
            kind="geofence"
            {...rest}
            value={draft.ring}
            others={drafts.map(({ ring }) => ring)}
            onChange={(ring) => onChange({ ring })}
          />
        )}
        {kind === 'routes' && (
          <PlaceEditor
            kind="route"
            {...rest}
            value={draft.lines}
            others={drafts.map(({ lines }) => lines)}
            onChange={(lines) => onChange({ lines })}
          />
        )}
        {kind === 'sites' && (
          <PlaceEditor
            kind="site"
            {...rest}
            value={draft.circle}
            others={drafts.flatMap(({ circle }) => circle ?? [])}
            onChange={(circle) => onChange({ circle })}
          />
        )}
      </Suspense>
    </section>
  )
}

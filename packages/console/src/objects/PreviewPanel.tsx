import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { change } from '../api/client.ts'
import type {
  AccuracyPatch,
  FleetObject,
  OrganizationSummary,
  Preview,
  PreviewAsked,
  Server,
} from '../api/types.ts'
import { t } from '../language/text.ts'
import { TextField } from '../ui/form/Field.tsx'
import { lazily } from '../ui/page/lazily.ts'
import { Note } from '../ui/state/Note.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { dayOf, dayRange, isDay } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { PreviewTable } from './PreviewTable.tsx'
import './PreviewPanel.css'

const PreviewMap = lazily(() => import('../map/index.ts'), 'PreviewMap')

/** How long nothing more has to be typed before the server is asked. */
const PAUSE_MS = 500

type PreviewPanelProps = {
  organization: OrganizationSummary
  object: FleetObject
  server: Server
  accuracy: AccuracyPatch
}

/** Previews a day under settings that are not saved yet. */
export function PreviewPanel({ organization, object, server, accuracy }: PreviewPanelProps) {
  const [utc] = useUtc()
  const [day, setDay] = useState(() =>
    dayOf(object.time_last_move ?? object.time_device ?? server.now, utc),
  )
  const asked = useSettled(JSON.stringify({ accuracy, ...dayRange(day, utc) }))
  const preview = useQuery({
    queryKey: ['organization', organization.id, 'object', object.id, 'preview', asked],
    queryFn: ({ signal }) =>
      change<Preview>(
        'POST',
        `/organizations/${organization.id}/objects/${object.id}/preview`,
        JSON.parse(asked) as PreviewAsked,
        signal,
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const { data } = preview
  const empty = data !== undefined && data.before.accepted + data.after.accepted === 0
  return (
    <section className="preview" aria-label={t('Effect of the change')}>
      <div className="row between">
        <h3>{t('Effect on this day')}</h3>
        <div className="preview-day">
          <TextField
            label={t('Day')}
            type="date"
            value={day}
            onChange={(next) => isDay(next) && setDay(next)}
          />
        </div>
      </div>
      {data === undefined && preview.error === null && <Skeleton lines={3} />}
      <Problem error={preview.error} />
      {empty && <Note>{t('No positions on this day. Choose a day when the vehicle moved.')}</Note>}
      {data !== undefined && !empty && preview.error === null && (
        <div className={preview.isPlaceholderData ? 'stack waits' : 'stack'}>
          <PreviewTable preview={data} unit={organization.distance_unit} />
          {data.truncated && (
            <Note>{t('This preview covers only the first 100,000 positions of the day.')}</Note>
          )}
          <div className="preview-map">
            <Suspense fallback={<Skeleton lines={3} />}>
              <PreviewMap before={data.before.line} after={data.after.line} server={server} />
            </Suspense>
          </div>
          <p className="soft small">
            {t(
              'Rejected packets are not stored, so this preview cannot show the effect of looser limits on them.',
            )}
          </p>
        </div>
      )}
    </section>
  )
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

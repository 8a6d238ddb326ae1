import type { Trips } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Note } from '../ui/state/Note.tsx'

type Failure = Trips['failures'][number]

/** Names the objects and places whose records cannot be derived. */
export function UnderivedNote({ failures }: { failures: readonly Failure[] }) {
  if (failures.length === 0) return null
  return (
    <div role="status">
      <Note kind="danger">
        {t(
          'The server could not compute records for some objects or places and will try again later. All other records are computed as usual.',
        )}
        <ul>
          {failures.map(({ kind, id, error }) => (
            <li key={`${kind} ${id}`}>
              {kind === 'object'
                ? t('Object {{id}}', { id })
                : kind === 'geofence'
                  ? t('Visits to geofence {{id}}', { id: String(id) })
                  : t('Visits to site {{id}}', { id: String(id) })}
              : {error}
            </li>
          ))}
        </ul>
      </Note>
    </div>
  )
}

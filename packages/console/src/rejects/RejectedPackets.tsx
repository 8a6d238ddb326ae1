import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { get } from '../api/client.ts'
import type { Rejects } from '../api/types.ts'
import { t } from '../language/text.ts'
import { sentenceOf } from '../ui/state/Problem.tsx'
import { Time } from '../ui/time/Time.tsx'
import { rejectInWords } from './reject-words.ts'

/** Why recent packets of an object were rejected. Loaded when opened. */
export function RejectedPackets({
  organization,
  object,
}: {
  organization: number
  object: number
}) {
  const [open, setOpen] = useState(false)
  const rejects = useQuery({
    queryKey: ['map', organization, 'object', object, 'rejects'],
    queryFn: ({ signal }) =>
      get<Rejects>(`/organizations/${organization}/objects/${object}/rejects`, signal),
    enabled: open,
  })
  return (
    <details className="fleetmap-rejects" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('Packets that were not accepted')}</summary>
      {rejects.isPending && open && <p role="status">{t('Loading…')}</p>}
      {rejects.isError && (
        <div role="alert" className="fleetmap-problem">
          <p>{sentenceOf(rejects.error)}</p>
          <button type="button" onClick={() => rejects.refetch()}>
            {t('Try again')}
          </button>
        </div>
      )}
      {rejects.data?.items.length === 0 && <p>{t('None: every recent packet was accepted.')}</p>}
      <ul>
        {rejects.data?.items.map((reject, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: packets have no id, and the list is replaced whole
          <li key={at}>
            <span>{rejectInWords(reject)}</span>
            <small>
              <Time value={reject.time_server ?? reject.time_device} as="second" none="–" quiet />
              {reject.hdop !== null && ` · HDOP ${reject.hdop}`}
              {reject.gps_level !== null &&
                t(' · GPS level {{gpslevel}}', { gpslevel: reject.gps_level })}
            </small>
          </li>
        ))}
      </ul>
    </details>
  )
}

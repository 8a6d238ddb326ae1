import { useState } from 'react'
import { useObjects } from '../../api/queries.ts'
import { t } from '../../language/text.ts'
import { listed } from '../../ui/format.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import type { Scope } from './draft.ts'
import { scopeInWords } from './words.ts'
import './Scope.css'

type ScopeWordsProps = { organization: number; scope: Scope | null }

export function ScopeWords({ organization, scope }: ScopeWordsProps) {
  const [utc] = useUtc()
  if (scope === null) return t('Full')
  return (
    <ul className="scope-words">
      {scope.objects != null && (
        <li>
          <Vehicles organization={organization} ids={scope.objects} />
        </li>
      )}
      {scopeInWords(scope, utc).map((limit) => (
        <li key={limit}>{limit}</li>
      ))}
    </ul>
  )
}

type VehiclesProps = { organization: number; ids: readonly number[] }

/** The number of vehicles. Opened, it has their names. */
function Vehicles({ organization, ids }: VehiclesProps) {
  const [isOpen, setOpen] = useState(false)
  const all = useObjects(organization, isOpen).data?.items ?? []
  const wanted = new Set(ids)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('{{count, number}} vehicles', { count: ids.length })}</summary>
      {listed(all.filter(({ id }) => wanted.has(id)).map(({ name }) => name))}
    </details>
  )
}

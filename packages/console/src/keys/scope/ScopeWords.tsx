import { useState } from 'react'
import { GrantList } from '../../grants/GrantList.tsx'
import { type Grant, grantInWords, isUnlimited } from '../../grants/grant.ts'
import { t } from '../../language/text.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { grantsOf, type Scope } from './scope-draft.ts'
import { scopeInWords } from './scope-texts.ts'
import './Scope.css'

type ScopeWordsProps = { organization: number; scope: Scope | null }

export function ScopeWords({ organization, scope }: ScopeWordsProps) {
  if (scope === null) return t('Full')
  const grants = grantsOf(scope)
  return (
    <ul className="scope-words">
      {!grants.some(isUnlimited) && (
        <li>
          <Grants organization={organization} grants={grants} />
        </li>
      )}
      {scopeInWords(scope).map((limit) => (
        <li key={limit}>{limit}</li>
      ))}
    </ul>
  )
}

type GrantsProps = { organization: number; grants: readonly Grant[] }

/** The number of vehicles or of grants. Opened, it has their names. */
function Grants({ organization, grants }: GrantsProps) {
  const [isOpen, setOpen] = useState(false)
  const [utc] = useUtc()
  const only = grants.length === 1 ? grants[0]! : null
  if (only?.objects === null) return grantInWords(t('All vehicles'), only, utc)
  const vehicles = t('{{count, number}} vehicles', { count: only?.objects?.length ?? 0 })
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {only === null
          ? t('{{count, number}} grants', { count: grants.length })
          : grantInWords(vehicles, only, utc)}
      </summary>
      {isOpen && (
        <GrantList organization={organization} grants={grants} most={Number.POSITIVE_INFINITY} />
      )}
    </details>
  )
}

import { useUtc } from '../../ui/time/time-zone.ts'
import type { Scope } from './draft.ts'
import { scopeInWords } from './words.ts'
import './Scope.css'

export function ScopeWords({ scope }: { scope: Scope | null }) {
  const [utc] = useUtc()
  if (scope === null) return scopeInWords(scope, utc)[0]
  return (
    <ul className="scope-words">
      {scopeInWords(scope, utc).map((limit) => (
        <li key={limit}>{limit}</li>
      ))}
    </ul>
  )
}

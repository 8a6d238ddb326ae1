import { useServer } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { useTitle } from '../app/title.ts'
import { CredentialsCard } from './CredentialsCard.tsx'
import { KeyLines } from './KeyLines.tsx'

export function KeysPage({ organization }: { organization: OrganizationSummary }) {
  useTitle('API keys', organization.name)
  const server = useServer()
  return (
    <CredentialsCard
      organization={organization}
      kind="keys"
      title="API keys"
      lead="Whoever holds a key may read all of this organization, and change nothing. Give each program one of its own: it can be taken away without disturbing the others."
      lines={(secret) => <KeyLines secret={secret} apiUrl={server.data?.api_url ?? null} />}
    />
  )
}

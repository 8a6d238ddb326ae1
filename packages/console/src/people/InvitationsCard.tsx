import { placeOf, useInvitations } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { roleInWords } from './role-texts.ts'
import { WaysIn } from './WaysIn.tsx'

type InvitationsCardProps = {
  organization: number | null
  nameOf: (organization: number) => string
}

/** Links that nobody has used yet. Shows nothing where there are none. */
export function InvitationsCard({ organization, nameOf }: InvitationsCardProps) {
  const { data } = useInvitations(organization)
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card title={t('Pending invitations')} lead={t('Each link works once, for the person shown.')}>
      <WaysIn
        kind="invitation"
        path={`${placeOf(organization)}/invitations`}
        queryKey={['invitations']}
        rows={data.items.map((each) => ({
          id: each.id,
          name: each.email ?? t('Anyone with the link'),
          role: roleInWords(each, organization, nameOf),
          issuedBy: each.issued_by ?? t('Command line'),
          createdAt: each.created_at,
          endsAt: each.expires_at,
        }))}
      />
    </Card>
  )
}

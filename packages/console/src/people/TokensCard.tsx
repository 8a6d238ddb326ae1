import { useState } from 'react'
import { PREFIX } from '../api/prefix.ts'
import { placeOf, usePeople, useTokens } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { IssuedToken, Token } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyLine } from '../ui/Copy.tsx'
import { Changing } from '../ui/changing.tsx'
import { ShownOnce } from '../ui/dialog/ShownOnce.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { IssueToken } from './IssueToken.tsx'
import { roleInWords } from './role-texts.ts'
import { WaysIn } from './WaysIn.tsx'

type TokensCardProps = {
  organization: number | null
  nameOf: (organization: number) => string
}

/** Tokens with which programs do what people do here. */
export function TokensCard({ organization, nameOf }: TokensCardProps) {
  const tokens = useTokens(organization)
  // Operators and support know people without a role in the organization too.
  const { oversees } = useRights(null)
  const people = usePeople(oversees ? null : organization).data?.items ?? []
  const [isIssuing, setIsIssuing] = useState(false)
  const [issued, setIssued] = useState<IssuedToken | null>(null)
  const issuerOf = ({ issuer, issued_by }: Token, all: Token[]) =>
    all.find(({ id }) => id === issuer)?.name ??
    people.find(({ id }) => id === issued_by)?.name ??
    (issued_by === null ? t('Command line') : t('Person {{issuedby}}', { issuedby: issued_by }))
  return (
    <Card
      title={t('Program tokens')}
      lead={
        <Phrase
          text="A token lets a program use <api>the admin API</api> with a role. Issue a separate token for each program."
          parts={{
            api: (
              // biome-ignore lint/a11y/useAnchorContent: its text is the one of the phrase
              <a href={`${PREFIX}/openapi.json`} target="_blank" rel="noreferrer" />
            ),
          }}
        />
      }
      actions={
        <Changing>
          <Button onClick={() => setIsIssuing(true)}>
            <Icon name="plus" />
            {t('Issue token')}
          </Button>
        </Changing>
      }
    >
      <Loaded query={tokens} lines={2} none={<p className="soft">{t('No tokens yet.')}</p>}>
        {({ items }) => (
          <WaysIn
            kind="token"
            path={`${placeOf(organization)}/tokens`}
            queryKey={['tokens']}
            rows={items.map((each) => ({
              id: each.id,
              name: each.name,
              detail: <code>{`${each.prefix}…${each.last_four}`}</code>,
              role: roleInWords(each, organization, nameOf),
              issuedBy: issuerOf(each, items),
              createdAt: each.created_at,
              usedAt: each.last_used_at,
              endsAt: each.expires_at,
            }))}
          />
        )}
      </Loaded>
      {isIssuing && (
        <IssueToken
          organization={organization}
          onClose={() => setIsIssuing(false)}
          onIssued={(token) => {
            setIsIssuing(false)
            setIssued(token)
          }}
        />
      )}
      {issued !== null && <TokenIssued issued={issued} onClose={() => setIssued(null)} />}
    </Card>
  )
}

function TokenIssued({ issued, onClose }: { issued: IssuedToken; onClose: () => void }) {
  const { secret, token } = issued
  const path = token.organization === null ? '/organizations' : placeOf(token.organization)
  return (
    <ShownOnce
      title={t('Token {{name}}', { name: token.name })}
      note={t('Copy the token now. It will not be shown again.')}
      onClose={onClose}
    >
      <CopyLine label={t('Token')} text={secret} />
      <CopyLine
        label={t('curl command')}
        text={`curl -H 'Authorization: Bearer ${secret}' ${location.origin}${PREFIX}${path}`}
      />
    </ShownOnce>
  )
}

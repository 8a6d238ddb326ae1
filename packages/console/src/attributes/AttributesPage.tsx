import { useState } from 'react'
import { useAttributes } from '../api/queries.ts'
import type { Attribute, Attributes, OrganizationSummary, SentName } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { Icon } from '../ui/Icon.tsx'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { AttributeForm } from './AttributeForm.tsx'
import { AttributeTable } from './AttributeTable.tsx'
import { ForgetNames } from './ForgetNames.tsx'
import { PublishAll } from './PublishAll.tsx'
import { RemoveAttribute } from './RemoveAttribute.tsx'
import { SentTable } from './SentTable.tsx'

type Doing =
  | { act: 'add'; source?: string }
  | { act: 'change' | 'remove'; attribute: Attribute }
  | { act: 'publish' | 'forget' }

/** The catalogue of attributes, and everything that devices send. */
export function AttributesPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Attributes'), organization.name)
  const attributes = useAttributes(organization.id)
  const [doing, setDoing] = useState<Doing | null>(null)
  return (
    <>
      <Card
        page
        title={t('Attributes')}
        lead={t(
          'Values that devices send along with positions, such as fuel or temperature. API keys can read the public ones.',
        )}
        actions={
          <Changing>
            <Button onClick={() => setDoing({ act: 'publish' })}>{t('Publish all')}</Button>
            <Button look="primary" onClick={() => setDoing({ act: 'add' })}>
              <Icon name="plus" />
              {t('New attribute')}
            </Button>
          </Changing>
        }
      >
        <Loaded
          query={attributes}
          lines={3}
          none={
            <Empty title={t('No attributes yet')}>
              {t('Publish everything that devices send, or add attributes one by one.')}
            </Empty>
          }
        >
          {({ items }) => (
            <AttributeTable
              organization={organization.id}
              rows={items}
              onDo={(act, attribute) => setDoing({ act, attribute })}
            />
          )}
        </Loaded>
      </Card>
      <Card
        title={t('Sent by devices')}
        lead={t('The names of all values that devices have sent.')}
        actions={
          <Changing>
            <Button onClick={() => setDoing({ act: 'forget' })}>{t('Forget unused names')}</Button>
          </Changing>
        }
      >
        <Loaded query={attributes} lines={3}>
          {({ sent: rows }: { sent: SentName[] }) =>
            rows.length === 0 ? (
              <Empty title={t('Nothing yet')}>
                {t('No device in this organization has sent additional values yet.')}
              </Empty>
            ) : (
              <SentTable rows={rows} onAdd={(source) => setDoing({ act: 'add', source })} />
            )
          }
        </Loaded>
        {attributes.hasNextPage && (
          <div className="row">
            <Button busy={attributes.isFetchingNextPage} onClick={() => attributes.fetchNextPage()}>
              {t('Load more')}
            </Button>
          </div>
        )}
      </Card>
      {doing !== null && (
        <AttributeDialog
          organization={organization}
          doing={doing}
          catalogue={attributes.data}
          onClose={() => setDoing(null)}
        />
      )}
    </>
  )
}

type AttributeDialogProps = {
  organization: OrganizationSummary
  doing: Doing
  catalogue: Pick<Attributes, 'sent'> | undefined
  onClose: () => void
}

function AttributeDialog({ organization, doing, catalogue, onClose }: AttributeDialogProps) {
  const form = { organization, sent: catalogue?.sent ?? [], onClose }
  switch (doing.act) {
    case 'add':
      return <AttributeForm {...form} source={doing.source} />
    case 'change':
      return <AttributeForm {...form} attribute={doing.attribute} />
    case 'remove':
      return (
        <RemoveAttribute
          organization={organization.id}
          attribute={doing.attribute}
          onClose={onClose}
        />
      )
    case 'publish':
      return <PublishAll organization={organization.id} onClose={onClose} />
    case 'forget':
      return <ForgetNames organization={organization.id} onClose={onClose} />
  }
}

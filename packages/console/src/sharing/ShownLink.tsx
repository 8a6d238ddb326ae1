import type { CreatedLink } from '../api/types.ts'
import { GrantSummary } from '../grants/GrantList.tsx'
import type { Grant } from '../grants/grant.ts'
import { t } from '../language/text.ts'
import { CopyLine } from '../ui/Copy.tsx'
import { ShownOnce } from '../ui/dialog/ShownOnce.tsx'
import { QrCode } from '../ui/QrCode.tsx'

type ShownLinkProps = { organization: number; issued: CreatedLink; onClose: () => void }

export function ShownLink({ organization, issued: { link, url }, onClose }: ShownLinkProps) {
  return (
    <ShownOnce
      title={t('{{name}}: your new link', { name: link.name })}
      note={t(
        'Copy the link now, or scan it with a phone. It will not be shown again. You can revoke it under “Shared” at any time.',
      )}
      onClose={onClose}
    >
      <CopyLine label={t('Link')} text={url} />
      <QrCode label={t('QR code with the link')} text={url} />
      <SeenByViewers organization={organization} grants={link.grants} showsWay={link.shows_way} />
    </ShownOnce>
  )
}

type SeenByViewersProps = { organization: number; grants: Grant[]; showsWay: boolean }

/** The data that a link shows to whoever has it. */
export function SeenByViewers({ organization, grants, showsWay }: SeenByViewersProps) {
  return (
    <GrantSummary
      label={t('Anyone with the link will see')}
      organization={organization}
      grants={grants}
      note={
        showsWay
          ? t('The current position, speed and direction, and the track since the start.')
          : t('The current position, speed and direction, without a track.')
      }
    />
  )
}

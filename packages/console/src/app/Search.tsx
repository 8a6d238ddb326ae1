import { useCallback, useMemo, useState } from 'react'
import { useHasSeveral } from '../api/rights.ts'
import { t } from '../language/text.ts'
import { useKeys } from '../search/use-keys.ts'
import { Icon } from '../ui/Icon.tsx'
import { Late } from '../ui/page/Late.tsx'
import { lazily } from '../ui/page/lazily.ts'
import type { MenuGroup } from './menu.ts'
import './Search.css'

const Palette = lazily(() => import('../search/Palette.tsx'), 'Palette')
const Shortcuts = lazily(() => import('../search/Shortcuts.tsx'), 'Shortcuts')

type SearchProps = {
  organization: number | null
  groups: MenuGroup[]
  oversees: { organization: boolean; deployment: boolean }
}

/** The search in the header, and the keys that open it. */
export function Search({ organization, groups, oversees }: SearchProps) {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null)
  const [begun, setBegun] = useState('')
  const close = () => setOpen(null)
  const search = useCallback(() => {
    setBegun('')
    setOpen('palette')
  }, [])
  const hasSeveral = useHasSeveral()
  useKeys({
    onSearch: search,
    onHelp: useCallback(() => setOpen('shortcuts'), []),
    onLetter: useMemo(
      () =>
        open === 'palette' ? (letter: string) => setBegun((before) => before + letter) : undefined,
      [open],
    ),
  })
  return (
    <>
      <button
        type="button"
        className="frame-search"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={search}
      >
        <Icon name="search" size={16} />
        <span>{t('Search')}</span>
        <span className="frame-search-key" aria-hidden="true">
          Ctrl K
        </span>
      </button>
      <Late key={open} onFailed={close}>
        {open === 'palette' && (
          <Palette
            begun={begun}
            organization={organization}
            pages={pagesOf(groups)}
            oversees={organization === null ? oversees.deployment : oversees.organization}
            hasSeveral={hasSeveral}
            onClose={close}
          />
        )}
        {open === 'shortcuts' && <Shortcuts onClose={close} />}
      </Late>
    </>
  )
}

/** The pages of the menu, and what is below them. */
function pagesOf(groups: MenuGroup[]) {
  return groups.flatMap(({ name: detail, items }) =>
    items.flatMap(({ to, name, icon, parts = [] }) => [
      { to, name, detail, icon },
      ...parts.map(([to, part]) => ({ to, name: part, detail: name, icon })),
    ]),
  )
}

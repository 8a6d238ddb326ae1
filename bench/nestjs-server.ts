import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type pg from 'pg'
import { type ChildServer, startYardstick } from './child-server.ts'

const SOURCE = join(import.meta.dirname, 'nestjs')
const COMPILER = join(import.meta.dirname, '../node_modules/typescript/bin/tsc')

/**
 * Compiles the NestJS build, whose decorators no runtime supports directly, and starts it on a separate schema of
 * the database. Its first start creates empty tables.
 */
export async function startNestjs(
  database: string,
  sql: pg.Client,
  logFile: string,
): Promise<ChildServer> {
  execFileSync(process.execPath, [COMPILER, '-p', SOURCE], { stdio: ['ignore', 2, 2] })
  await sql.query('CREATE SCHEMA IF NOT EXISTS nestjs')
  process.env.NODE_ENV = 'production'
  return startYardstick('nestjs/dist/main.js', [database], logFile)
}

/** The build of the contract that Fleetgate is compared with. Argument: the URL of the database. */
import 'reflect-metadata'
import type { AddressInfo } from 'node:net'
import compress from '@fastify/compress'
import etag from '@fastify/etag'
import { ValidationPipe, VersioningType } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { appModule } from './app.module.ts'
import { ErrorFilter } from './error.filter.ts'
import { validationError } from './validation.ts'

const app = await NestFactory.create<NestFastifyApplication>(
  appModule(process.argv[2]!),
  new FastifyAdapter({ logger: { level: 'info' } }),
  { logger: ['error', 'warn'] },
)
app.setGlobalPrefix('public')
app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' })
app.useGlobalPipes(new ValidationPipe({ transform: true, exceptionFactory: validationError }))
app.useGlobalFilters(new ErrorFilter())
await app.register(etag, { weak: true })
await app.register(compress)
app.enableShutdownHooks()
await app.listen(0, '127.0.0.1')
const { port } = app.getHttpServer().address() as AddressInfo
process.send!(port)

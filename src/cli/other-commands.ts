import type { Command } from 'commander';
import { registerBatch } from './commands/batch.ts';
import { registerBench } from './commands/bench.ts';
import { registerCache } from './commands/cache.ts';
import { registerChat, registerRun } from './commands/chat.ts';
import { registerCompletion } from './commands/completion.ts';
import { registerConnect } from './commands/connect.ts';
import { registerDecide } from './commands/decide.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerKey } from './commands/key.ts';
import { registerList } from './commands/list.ts';
import { registerProfile } from './commands/profile.ts';
import { registerPs } from './commands/ps.ts';
import { registerPull } from './commands/pull.ts';
import { registerRemove } from './commands/remove.ts';
import { registerShow } from './commands/show.ts';
import { registerStop } from './commands/stop.ts';
import { registerUpgrade } from './commands/upgrade.ts';

/** Registers all commands but `serve`, in the order of the help. */
export function registerOthers(program: Command): void {
  registerPull(program);
  registerList(program);
  registerShow(program);
  registerProfile(program);
  registerRemove(program);
  registerCache(program);
  registerChat(program);
  registerDecide(program);
  registerBatch(program);
  registerRun(program);
  registerPs(program);
  registerStop(program);
  registerBench(program);
  registerConnect(program);
  registerKey(program);
  registerDoctor(program);
  registerCompletion(program);
  registerUpgrade(program);
}

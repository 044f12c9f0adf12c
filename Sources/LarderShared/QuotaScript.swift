// The ledger of a shared budget, as a script of the engine. It counts the calls of a fleet to one API: all hosts together
// make no more calls than the limit, even after the engine has lost its data. `QuotaScriptTests` and `QuotaFleetTests`
// hold it to that in a real engine.
import LarderCache
import LarderCore

/// A host takes a lease of a few calls for a short term. A lease that is out counts in full. When it is given back, the
/// used calls count from then. When it is not given back, all of its calls count from its end. No call is made after the
/// end of its lease, so no span of a window's length holds more calls than the limit. Counts are kept in buckets of a
/// 64th of the window, and each bucket counts from its end.
///
/// A new ledger does not know earlier calls. It grants nothing until every host that is alive has reported what it knows
/// and all earlier leases are over. Then the larger of the hosts' own calls and the highest total that a host last saw
/// counts as called now. If a host does not report, the ledger waits for one window.
///
/// Each budget is one hash with these fields: the ledger's name (e), when it was made (b), whether it is open (o), leases
/// (l:NAME = calls and end), charges (cWINDOW:END), hosts that have reported (r:HOST), and what they reported (sWINDOW:
/// their own calls, tWINDOW: the largest total that they saw). Times are in milliseconds of the engine's clock.
enum QuotaScript {
    /// KEYS: the ledger and the table of hosts. ARGV: host, known ledger, lease, wanted calls, debt, returned lease and
    /// its used calls, the name for a new ledger, term, grace; then for each limit its calls, its window, the host's
    /// own calls and the total it has seen.
    static let text = """
        local t=redis.call('TIME') local now=t[1]*1000+math.floor(t[2]/1000)
        local k=KEYS[1] local host,knows,id=ARGV[1],ARGV[2],ARGV[3]
        local want,debt,rid,rused=tonumber(ARGV[4]),tonumber(ARGV[5]),ARGV[6],tonumber(ARGV[7])
        local term,grace=tonumber(ARGV[9]),tonumber(ARGV[10])
        local function S(x) return string.format('%.0f',x) end
        local L={} local far=0
        for a=11,#ARGV,4 do
          local l={calls=tonumber(ARGV[a]),w=tonumber(ARGV[a+1]),own=tonumber(ARGV[a+2]),seen=tonumber(ARGV[a+3]),used=0}
          L[#L+1]=l if l.w>far then far=l.w end
        end
        local h=redis.call('HGETALL',k) local f={} for i=1,#h,2 do f[h[i]]=h[i+1] end
        if not f.e then f.e=ARGV[8] f.b=S(now) redis.call('HSET',k,'e',f.e,'b',f.b) end
        local function charge(l,count,at)
          local step=math.max(1,math.floor(l.w/64)) at=math.ceil(at/step)*step
          if count<=0 or at<=now-l.w then return end
          local key='c'..S(l.w)..':'..S(at)
          f[key]=S((f[key] or 0)+count) redis.call('HSET',k,key,f[key])
        end
        local function drop(key) f[key]=nil redis.call('HDEL',k,key) end
        if rid~='' and f['l:'..rid] and knows==f.e then drop('l:'..rid) for _,l in ipairs(L) do charge(l,rused,now) end end
        local ended={}
        for key,v in pairs(f) do
          if string.sub(key,1,2)=='l:' then
            local c,e=string.match(v,'^(%d+) (%d+)$') if tonumber(e)<=now then ended[#ended+1]={key,tonumber(c),tonumber(e)} end
          else
            local w,e=string.match(key,'^c(%d+):(%d+)$') if w and tonumber(e)<=now-tonumber(w) then ended[#ended+1]={key,0,0} end
          end
        end
        for _,x in ipairs(ended) do drop(x[1]) for _,l in ipairs(L) do charge(l,x[2],x[3]) end end
        if not f['r:'..host] then
          f['r:'..host]='1' redis.call('HSET',k,'r:'..host,'1')
          for _,l in ipairs(L) do
            local s,m=tonumber(f['s'..S(l.w)] or 0),tonumber(f['t'..S(l.w)] or 0) local before=math.max(s,m)
            s=s+l.own if knows~='' and knows~=f.e then m=math.max(m,l.seen) end
            redis.call('HSET',k,'s'..S(l.w),S(s),'t'..S(l.w),S(m)) f['s'..S(l.w)]=S(s) f['t'..S(l.w)]=S(m)
            if f.o then charge(l,math.max(s,m)-before,now) end
          end
        end
        redis.call('PEXPIRE',k,S(far*2+604800000))
        if not f.o then
          local all=true local p=redis.call('HGETALL',KEYS[2])
          for i=1,#p,2 do
            local seen=tonumber(string.match(p[i+1],'^(%d+)')) if seen and seen>=t[1]-10 and not f['r:'..p[i]] then all=false end
          end
          local over=now>=f.b+far
          if not over and not (all and now>=f.b+grace) then
            local r={f.e,0,250,0} for _,l in ipairs(L) do r[#r+1]=0 end return r
          end
          f.o='1' redis.call('HSET',k,'o','1')
          if not over then
            for _,l in ipairs(L) do charge(l,math.max(tonumber(f['s'..S(l.w)] or 0),tonumber(f['t'..S(l.w)] or 0)),now) end
          end
        end
        for _,l in ipairs(L) do charge(l,debt,now) end
        local out,first=0,nil
        for key,v in pairs(f) do
          if string.sub(key,1,2)=='l:' then
            local c,e=string.match(v,'^(%d+) (%d+)$') out=out+tonumber(c) e=tonumber(e) if not first or e<first then first=e end
          end
        end
        local g=want
        for _,l in ipairs(L) do
          l.first=first l.used=out
          for key,v in pairs(f) do
            local w,e=string.match(key,'^c(%d+):(%d+)$')
            if w and tonumber(w)==l.w then
              l.used=l.used+tonumber(v) e=tonumber(e) if not l.first or e<l.first then l.first=e end
            end
          end
          g=math.min(g,l.calls-l.used)
        end
        if g<0 then g=0 end
        local wait=0
        if g>0 then redis.call('HSET',k,'l:'..id,S(g)..' '..S(now+term))
        elseif want>0 then
          for _,l in ipairs(L) do if l.used>=l.calls and l.first then wait=math.max(wait,l.first+l.w-now) end end
          wait=math.max(1,wait)
        end
        local r={f.e,g,wait,1} for _,l in ipairs(L) do r[#r+1]=l.used+g end return r
        """

    static func command(_ ask: QuotaAsk, ledger: Bytes, hosts: Bytes, fresh: String) -> Command {
        var command = Command("EVAL", Bytes(text: text), Bytes(text: "2"), ledger, hosts)
        var words = [
            ask.host, ask.knows, ask.lease, "\(ask.wanted)", "\(ask.debt)", ask.returned, "\(ask.returnedUsed)",
        ]
        words += [fresh, "\(QuotaLedger.term.milliseconds)", "\(QuotaLedger.grace.milliseconds)"]
        for (place, limit) in ask.limits.enumerated() {
            words += [
                "\(limit.calls)", "\(limit.window.milliseconds)", "\(ask.own[place])", "\(ask.seen[place])",
            ]
        }
        command.words += words.map { Bytes(text: $0) }
        return command
    }

    /// Reads the engine's reply and bounds it: at most the calls that were asked for, and a wait of at most a minute.
    /// After the wait the engine is asked again.
    static func reply(_ reply: Reply, to ask: QuotaAsk) -> QuotaReply? {
        guard let parts = reply.elements, parts.count == 4 + ask.limits.count, let epoch = parts[0].bytes,
            epoch.count <= 64
        else {
            return nil
        }
        var figures: [Int] = []
        for part in parts.dropFirst() {
            guard case .integer(let figure) = part, figure >= 0 else { return nil }
            figures.append(Int(figure))
        }
        return QuotaReply(
            epoch: String(decoding: epoch, as: UTF8.self), granted: min(figures[0], ask.wanted),
            wait: .milliseconds(Int64(min(figures[1], 60_000))), isOpen: figures[2] == 1,
            used: Array(figures.dropFirst(3)))
    }
}

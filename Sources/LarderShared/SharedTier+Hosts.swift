// The table of the hosts that share the prefix. Others may write to it too, so a row counts only with its code, and it is
// read in pages. A table that is too long to be read is not reported in part: a host must not be hidden by false rows.
import LarderCache
import LarderCore

extension SharedTier {
    /// The most pages that are read, of at most 1,000 rows or half a mebibyte each.
    private static let mostPages = 8

    /// Reads the engine's time and a page of its table of hosts. Rows of hosts that were silent for ten minutes, and rows
    /// that cannot be a host's, are left out, and deleted if the table is no longer than a page.
    private static let table = """
        local t=redis.call('TIME') local h=redis.call('HGETALL',KEYS[1]) local r,n,old,from,go={},0,{},tonumber(ARGV[1]),0 \
        for i=from*2+1,#h,2 do local s=tonumber(string.match(h[i+1],'^(%d+) ')) \
        if not s or math.abs(t[1]-s)>600 or #h[i]+#h[i+1]>\(SharedMember.longest) then old[#old+1]=h[i] \
        elseif #r<2000 and n+#h[i]+#h[i+1]<=524288 then \
        n=n+#h[i]+#h[i+1] r[#r+1]=h[i] r[#r+1]=h[i+1] else go=(i-1)/2 break end end \
        if from==0 and go==0 then for _,k in ipairs(old) do redis.call('HDEL',KEYS[1],k) end end return {t,r,go}
        """

    /// The hosts that share the prefix, by name; nil if the engine does not tell, or tells too much.
    public func members() async -> [SharedMember]? {
        var members: [SharedMember] = []
        var from: Int64 = 0
        for _ in 0..<Self.mostPages {
            let ask = Command("EVAL", Bytes(text: Self.table), one, names.hosts, Bytes(text: String(from)))
            guard let replies = await perform("hosts", [ask]), let parts = replies[0].elements, parts.count == 3,
                let now = Self.engineTime(parts[0]), let rows = parts[1].elements, case .integer(let next) = parts[2]
            else { return nil }
            for place in stride(from: 0, to: rows.count - 1, by: 2) {
                guard let id = rows[place].bytes, let value = rows[place + 1].bytes,
                    var member = SharedMember(id: id, value: value, now: now.seconds, code: rowCode)
                else { continue }
                member.isSelf = member.id == host.id
                members.append(member)
            }
            guard next > from else { return members.sorted { ($0.name, $0.id) < ($1.name, $1.id) } }
            from = next
        }
        noteRarely("the table of hosts holds too many rows to be read")
        return nil
    }

    /// This host's row, without the engine's time.
    func signOfLife(place: SharedStreamID?) -> Bytes {
        let said = host.sign(place: place, calls: callsInHand)
        return Bytes(text: rowCode(Bytes(text: host.id), said) + " ") + said
    }

    /// The code of what a host says about itself.
    private func rowCode(_ id: Bytes, _ said: Bytes) -> String {
        Base64URL.encode(codec.code(of: id + [0] + said, names.hosts).bytes)
    }
}

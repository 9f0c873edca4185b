"""Desk, shop, staff, money, law, farm and workshop: more of what people do for a living. Training alone shows these."""

TEXT = r"""
# make_quote: create_offer price_quote write_estimate
d Draws up an offer for a customer. | Prices a job before it is ordered. | Estimate on paper.
a who:person=customer,client,for amount:money=amount,price,total
q make an offer of {amount} for {who} | quote {who} a price of {amount} | estimate for {who}: {amount} | {who} wants to know the price, offer {amount}
# remind_payer: send_dunning payment_reminder chase_payment
d Reminds a customer to pay. | Chases money that is overdue. | Sends a dunning letter.
a id:code=invoice,bill,number
q chase the payment of {id} | {id} is overdue, remind the payer | dunning letter for {id} | nobody has paid {id} yet, write to them
# vat: vat_of sales_tax add_tax
d Works out the sales tax. | Adds VAT to a net price. | Gross from net.
a amount:money=net,amount,price p:percent=rate,percent,tax
q add {p} percent tax to {amount} | vat on {amount} at {p} | {amount} net, gross with {p} percent? | how much tax is due on {amount}, rate {p}?
r {x:money} => With tax it is {x}.
# margin: profit_margin margin_of markup
d Works out the profit margin. | What is earned on a sale. | Share of gain in a price.
a buy:money=cost,buy,purchase sell:money=price,sell,sale
q I buy for {buy} and sell for {sell}, what is my margin? | profit at cost {buy}, price {sell} | markup from {buy} to {sell} | what do I earn selling at {sell} what cost {buy}?
# payslip: get_payslip salary_slip pay_statement
d Shows the pay statement of a month. | What was earned and deducted. | Salary slip.
a m:month
q show my payslip for {m} | what did I earn in {m}? | salary slip {m} | pay statement of {m} please
# sick_leave: report_sick call_in_ill sick_note
d Reports that an employee is ill. | Absence for reasons of health. | Calls in sick.
a who:person=employee,name,who day:day=day,from,since
q {who} is ill {day} | report {who} sick {day} | {who} cannot work {day}, flu | sick note for {who}, {day}
# holidays_left: vacation_left remaining_leave days_left
d Tells how many days of leave remain. | Vacation account. | Unused days off.
a who:person=employee,name,who
q how many vacation days does {who} have left? | remaining leave of {who} | can {who} still take days off, how many? | leave account {who}
r {n:small} days => {who} has {n} days left.
# shift: assign_shift shift_plan duty_roster
d Puts an employee on a shift. | Duty roster. | Who works when.
a who:person=employee,name,who day:day s:shift
q {who} works the {s} shift {day} | put {who} on the {s} shift {day} | roster: {who}, {day}, {s} | {s} duty {day} goes to {who}
# shift_swap: swap_shift trade_duty change_shift
d Lets two people trade their shifts. | Exchange of duties between colleagues. | Swaps the roster.
a a:person=first,from,a b:person=second,with,b
q swap the shifts of {a} and {b} | {a} and {b} trade duties | {b} takes over from {a} and the other way round
# onboard: onboard_employee new_hire welcome_colleague
d Prepares everything for a new colleague. | Starts the onboarding of a hire. | Accounts and papers for somebody who joins.
a who:person=employee,name,who d:date=start,date,from
q {who} starts on {d}, prepare everything | onboard {who}, first day {d} | new hire {who}, {d} | get the papers ready for {who}, who joins on {d}
# reference: write_reference job_reference testimonial
d Writes a reference for somebody who leaves. | Job testimonial. | Praise on paper.
a who:person=employee,name,for
q write a reference for {who} | {who} leaves us, draw up a testimonial | job reference {who}
# job_ad: post_job vacancy advertise_position
d Publishes a vacancy. | Advertises an open position. | Looks for staff.
a t:job=title,position,role team?:team
q post a job for a {t}[ in {team}] | we look for a {t}[, team {team}] | vacancy: {t}[ ({team})] | advertise the position of {t}[ at {team}]
# salary_cmp: salary_for typical_pay wage_survey
d Tells what a profession earns. | Typical pay of a job in a town. | Wage statistics.
a t:job=job,profession,role place:city
q what does a {t} earn in {place}? | typical pay of a {t}, {place} | salary for a {t} in {place} | is a {t} well paid in {place}?
r {m:int} => A {t} in {place} earns about {m}.
# mileage: log_mileage travel_claim trip_km
d Claims kilometres driven for work. | Mileage record. | Business trips by own car.
a n:int=km,distance,kilometres to:city=to,destination,place
q claim {n} km to {to} | I drove {n} kilometres to {to} for work | business trip {to}, {n} km, my own wheels
# receipt: upload_receipt file_receipt keep_slip
d Files a receipt. | Keeps the slip of a purchase for the accountant. | Stores a proof of payment.
a file:image amount:money
q file the receipt {file} over {amount} | slip {file}, {amount}, for the accountant | keep {file}, I paid {amount} | hand in {file} as proof of {amount}
# tax_estimate: estimate_tax income_tax what_tax
d Estimates the income tax. | What the state takes of a yearly income. | Tax for a sum earned.
a n:int=income,earnings,amount place:country
q how much tax do I pay on {n} in {place}? | income tax {place}, {n} a year | what does the state of {place} take from {n}?
# bank_statement: bank_statement account_movements booked_items
d Lists the movements of the bank account. | Statement of a month. | What came in and went out.
a m:month
q bank statement of {m} | what went out in {m}? | account movements in {m} | show my bookings at the bank for {m}
# standing_order: standing_order recurring_payment pay_monthly
d Sets up a payment that repeats every month. | Standing order at the bank. | Regular amounts to somebody.
a amount:money who:service=for,to,payee
q pay {amount} for {who} every month | standing order over {amount} to {who} | let {amount} go to {who} monthly
# card_block: block_card freeze_card card_stolen
d Blocks a bank card. | Freezes a credit card that was lost. | Stops payments by card.
a id:code=card,number,last_digits
q block my card {id} | card {id} was stolen | freeze {id} | I lost the credit card {id}, nobody must pay with it
# savings: savings_plan save_goal put_aside
d Plans how to save for something. | What must be put aside each month. | Savings goal.
a amount:money=goal,amount,sum n:small=months,time,in
q I want to save {amount} in {n} months | savings plan: {amount}, {n} months | how much must I put aside for {amount} within {n} months?
r {x:money} a month => You need {x} a month.
# compound: compound_interest grow_money interest_after
d Works out what money grows to. | Interest on interest over years. | Capital after some time.
a amount:money p:small=rate,percent,interest n:small=years,time,period
q {amount} at {p} percent for {n} years? | what becomes of {amount} after {n} years at {p} percent? | interest on {amount}, {p} percent, {n} years
r {x:money} => It grows to {x}.
# crypto: coin_rate crypto_price token_price
d Tells the rate of a digital coin. | Price of cryptocurrencies. | What a token is worth.
a t:ticker=coin,symbol,token
q what is the coin {t} worth? | crypto price {t} | rate of the digital money {t} | how does the token {t} stand?
# gold: gold_price metal_price precious
d Tells the price of precious metals. | What gold or silver costs. | Metal market.
a m:metal
q what does {m} cost? | price of {m} | metal market: {m} | is {m} expensive now?
# insurance: file_claim report_damage insurance_claim
d Reports a damage to the insurance. | Files a claim. | Asks for compensation.
a text:sentence=description,what,text
q report to the insurance: "{text}" | file a claim: "{text}" | damage: "{text}", tell the insurer | I want compensation, because "{text}"
# law_lookup: find_law legal_text paragraph_of
d Looks up a law. | Text of a statute on a matter. | What the rules say legally.
a t:topic=matter,topic,about
q which law covers {t}? | legal text on {t} | what do the statutes say on {t}? | is there a paragraph about {t}?
# trademark: check_trademark brand_free name_protected
d Tells whether a brand name is protected. | Trademark search. | May we use the name.
a w:title=name,brand,mark
q is the name {w} protected? | trademark search {w} | may we call our brand {w}? | does somebody own the mark {w}?
# nda: make_nda secrecy_agreement confidential
d Draws up a secrecy agreement. | Non-disclosure paper with a partner. | Keeps things confidential.
a who:person=with,partner,party
q secrecy agreement with {who} | make an NDA for {who} | {who} must keep it confidential, draw up the paper
# notary: book_notary certify_copy notarise
d Has a document certified. | Notary for a paper. | Official seal.
a file:pdf
q have {file} certified | {file} needs a notary | official seal on {file} | notarise {file}
# company_info: company_lookup trade_register firm_data
d Looks a company up in the register. | Directors and address of a firm. | Trade register entry.
a n:title=company,name,firm
q who runs the company {n}? | trade register: {n} | data on the firm {n} | is the business {n} registered?
# opening_times: shop_hours when_open store_hours
d Tells when a shop is open. | Hours of a store. | Whether somebody still sells.
a n:title=shop,name,store
q until when is {n} open? | shop hours of {n} | does {n} still sell something now? | is the store {n} closed already?
# price_compare: compare_prices cheapest_offer best_price
d Compares the prices of several shops. | Cheapest offer for a product. | Where something costs least.
a item:product
q where is a {item} cheapest? | compare prices of a {item} | best price for a {item} | who sells a {item} for the least money?
r {m:money} => The cheapest {item} costs {m}.
# stock_level: stock_level in_stock how_many_left
d Tells how many pieces are in the warehouse. | Stock of an article. | Whether there are enough left.
a item:product=item,article,product
q how many {item}s do we have left? | is the {item} in stock? | stock of {item} | are there enough {item}s in the warehouse?
r {n:int} => There are {n} of {item}.
# reorder: reorder_goods restock order_supplies
d Orders more of an article from the supplier. | Fills the shelves again. | Restocking.
a item:product n:int=quantity,count,pieces
q reorder {n} of the {item} | we need {n} more {item}s | restock {item}, {n} pieces | the shelf with {item}s is empty, get {n}
# return_item: return_goods send_back start_return
d Starts the return of something bought. | Sends goods back to the shop. | Right of withdrawal.
a id:code=order,number,id
q I want to send {id} back | return the goods of order {id} | start a return for {id} | I don't like what I bought, number {id}
# warranty: check_warranty guarantee_until still_covered
d Tells whether a device is still under guarantee. | Warranty by serial number. | Free repair or not.
a id:code=serial,number,device
q is {id} still under warranty? | guarantee of the device {id} | would the repair of {id} be free? | until when is {id} covered?
r until {d:date} => It is covered until {d}.
# loyalty: loyalty_points bonus_points reward_points
d Tells how many bonus points somebody has. | Customer card balance. | Rewards collected.
a id:code=card,customer,number
q how many points are on card {id}? | bonus of {id} | rewards on my customer card {id} | loyalty points {id}
r {n:int} points => Card {id} has {n} points.
# gift_card: buy_gift_card shop_credit present_card
d Issues a gift card over an amount. | Shop credit to give away. | Present for later shopping.
a amount:money
q a gift card over {amount} | I want to give shop credit of {amount} | issue {amount} as a present card
# auction: place_bid auction_bid offer_price
d Bids in an auction. | Offers money for a lot. | Takes part in a sale to the highest bidder.
a id:code=lot,item,number amount:money=bid,amount,offer
q bid {amount} on lot {id} | I offer {amount} for {id} in the auction | raise my bid on {id} to {amount}
# classified: post_ad sell_used classified_ad
d Puts a used thing up for sale. | Small ad on the market place. | Finds a buyer.
a item:product amount:money=price,amount,for
q sell my {item} for {amount} | put up an ad: {item}, {amount} | I want to get rid of the used {item}, {amount} | small ad for a {item} at {amount}
# hot_desk: book_desk hot_desk desk_booking
d Books a desk in the office. | Hot desk for a day. | A place to work.
a day:day
q I come to the office {day}, get me a desk | hot desk {day} | a place to work {day} please | reserve a table to sit at work {day}
# canteen_pay: pay_lunch canteen_card load_card
d Loads money onto the canteen card. | Tops up lunch credit. | Puts euros on the staff card.
a amount:money
q load {amount} onto my canteen card | top up lunch with {amount} | {amount} on the staff card
# visitor: register_visitor announce_guest visitor_badge
d Announces a visitor at the reception. | Prepares a badge for a guest. | Registers people who come to the office.
a who:person=visitor,guest,name day:day
q {who} visits us {day}, tell the reception | visitor badge for {who} {day} | announce {who} for {day} at the front desk
# office_supply: order_supplies get_stationery office_material
d Orders office material. | Paper, pens and the like. | Stationery from the storeroom.
a item:stationery n:small=count,packs,quantity
q we need {n} packs of {item} | order {n} {item} for the office | stationery: {item}, {n} times | the {item} are used up, get {n}
# print_cards: business_cards order_cards visiting_cards
d Has business cards printed. | Visiting cards for an employee. | Small cards with name and number.
a who:person=name,for,employee n:int=count,copies,quantity
q {n} business cards for {who} | print {n} visiting cards with the name {who} | {who} has no cards left, make {n}
# agenda_item: add_agenda_item put_on_agenda meeting_topic
d Puts a point on the agenda of a meeting. | Topic to be discussed. | Adds something to talk about.
a t:topic=topic,item,point m:title=meeting,in,for
q put {t} on the agenda of {m} | we should discuss {t} in {m} | add the point {t} to {m} | topic for {m}: {t}
# minutes: write_minutes meeting_notes keep_protocol
d Writes the minutes of a meeting. | Protocol of what was decided. | Notes from a session.
a m:title=meeting,of,session text:sentence=text,notes,content
q minutes of {m}: "{text}" | note for the protocol of {m}: "{text}" | in {m} we decided "{text}", write it down
# decision: record_decision log_decision decided
d Keeps a decision on file. | Log of what a team agreed. | Why something was settled.
a text:sentence=decision,text,what team:team
q {team} decided: "{text}" | keep the decision of {team} on file: "{text}" | log that {team} agreed on "{text}"
# okr: set_goal team_goal quarterly_goal
d Sets a goal for a team. | Objective of the quarter. | What a group wants to reach.
a team:team text:title=goal,objective,target
q the goal of {team} is {text} | set {text} as an objective for {team} | {team} wants to reach {text} this quarter
# kpi: show_kpi key_figure business_number
d Shows a key figure of the business. | Number that managers look at. | How the company does in one respect.
a c:column=figure,metric,name m:month
q what was our {c} in {m}? | key figure {c} for {m} | show the metric {c}, {m} | how did {c} do in {m}?
r {n:number} => In {m} {c} was {n}.
# funnel: sales_funnel pipeline_view deals_by_stage
d Shows the sales pipeline. | Deals by stage for a team. | How many may still buy.
a team:team
q show the pipeline of {team} | sales funnel {team} | how many deals does {team} have open? | which stage are the deals of {team} in?
# feedback: give_feedback praise_colleague kudos
d Gives a colleague feedback. | Praise or criticism for somebody's work. | Kudos.
a who:person=colleague,to,name text:sentence=text,message,feedback
q tell {who} as feedback: "{text}" | kudos to {who}: "{text}" | praise {who} with "{text}" | feedback for {who}: "{text}"
# org_chart: who_reports_to manager_of org_chart
d Tells who somebody's manager is. | Organisation chart. | Chain of command.
a who:person=employee,name,person
q who is the boss of {who}? | whom does {who} report to? | org chart around {who} | superior of {who}?
r {p:person} => {who} reports to {p}.
# out_of_office: set_autoreply out_of_office absence_message
d Switches the automatic reply on. | Absence message until a date. | Tells writers that one is away.
a d:date=until,date,end
q I am away until {d}, answer my mails automatically | out of office until {d} | autoreply till {d} | set the absence message, back on {d}
# mail_rule: create_mail_rule filter_mail sort_mail
d Sorts incoming mail into a folder. | Rule for letters of a sender. | Filter in the mailbox.
a e:email=sender,from,address dir:tag=folder,label,to
q mails from {e} go to {dir} | sort everything {e} writes into {dir} | mailbox rule: {e} to {dir} | filter {e}, folder {dir}
# unsubscribe: unsubscribe stop_newsletter leave_list
d Leaves a mailing list. | Stops a newsletter of a sender. | No more advertising mail.
a e:email=sender,list,address
q no more mails from {e} | unsubscribe from {e} | stop the newsletter of {e} | I am tired of advertising by {e}
# spam: mark_spam junk_mail block_sender
d Marks a sender as unwanted. | Blocks junk mail. | Puts an address on the black list.
a e:email=sender,address,from
q {e} sends junk, block it | mark {e} as spam | black list {e} | I don't want to see {e} in my inbox
# fax: send_fax fax_document telefax
d Sends a document by fax. | Telefax to a number. | Paper over the phone line.
a file:pdf to:phone=number,fax,to
q fax {file} to {to} | send {file} by telefax, number {to} | they only have a fax: {to}, send {file}
# letter: post_letter send_letter snail_mail
d Sends a letter by post. | Prints and posts a document. | Mail on paper to an address.
a file:pdf to:address=address,to,recipient
q post {file} to {to} | send {file} as a real letter to {to} | {file} by snail mail, {to} | put {file} in an envelope for {to}
# courier: book_courier messenger express_pickup
d Orders a courier. | Messenger who picks something up. | Express pick-up at an address.
a where:address=address,pickup,at
q a courier to {where} | express pick-up at {where} | send a messenger to {where}, it is urgent | somebody has to fetch something at {where}
# crop: crop_status field_report harvest_state
d Tells how a crop stands on a field. | Growth report of a farm. | When it can be harvested.
a food:ingredient=crop,plant,what
q how do the {food} stand on the field? | crop report {food} | when can we harvest the {food}? | are the {food} ripe?
# milk: milk_yield log_milking cow_output
d Records how much milk a cow gave. | Milking diary. | Litres by animal.
a id:code=cow,animal,number n:small=litres,amount,l
q cow {id} gave {n} litres | log {n} litres for {id} | milking: {id}, {n} l
# machine_hours: machine_hours run_time operating_hours
d Tells how many hours a machine has run. | Operating hours by number. | When the next service is due.
a id:code=machine,number,device
q how many hours has machine {id} run? | run time of {id} | operating hours {id} | is {id} due for maintenance, how long did it work?
r {n:int} hours => Machine {id} has run {n} hours.
# maintenance: plan_maintenance schedule_service machine_service
d Plans the maintenance of a machine. | Service date for equipment. | Has a device looked after.
a id:code=machine,device,number d:date=date,on,when
q service machine {id} on {d} | plan maintenance of {id}, {d} | {id} must be looked after on {d}
# spare_part: order_part spare_part find_component
d Orders a spare part. | Component for a machine by its number. | Replacement piece.
a id:code=part,number,component n?:small=count,quantity,pieces
q order the part {id}[, {n} pieces] | we need the spare part {id}[ {n} times] | component {id} broke, get a new one[, {n} of them]
# cut_list: cut_plan saw_plan boards_needed
d Works out how many boards a job needs. | Cutting plan for wood. | Lengths out of planks.
a n:small=pieces,count,parts l:int=length,mm,each
q {n} pieces of {l} mm, how many boards? | cutting plan: {n} times {l} | I need {n} slats of {l} millimetres, plan the wood
# paint_need: paint_needed wall_paint how_much_paint
d Tells how much paint a wall needs. | Litres of colour for an area. | Painting calculator.
a n:int=area,square_metres,m2
q how much paint for {n} square metres? | I paint a wall of {n} m2, litres? | colour needed, area {n}
r {x:number} litres => You need {x} litres.
# tile_need: tiles_needed floor_tiles count_tiles
d Counts the tiles for a floor. | How many tiles cover an area. | Flooring calculator.
a n:int=area,square_metres,m2 s:small=size,cm,edge
q how many tiles of {s} cm for {n} square metres? | floor of {n} m2, tiles {s} cm | tiles needed: {n} m2 at {s}
"""

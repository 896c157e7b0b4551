// Generated from the migrated database by `npm run database:files`. Do not edit.

export type Json = string | number | boolean | null | { readonly [key: string]: Json | undefined } | readonly Json[];

export type Database = {
  public: {
    Tables: {
      audit_logs: {
        Row: {
          action: string;
          actor: string | null;
          created_at: string;
          details: Json;
          id: string;
          resource_id: string | null;
          resource_type: string;
        };
        Insert: {
          action: string;
          actor?: string | null;
          created_at?: string;
          details?: Json;
          id?: string;
          resource_id?: string | null;
          resource_type: string;
        };
        Update: {
          action?: string;
          actor?: string | null;
          created_at?: string;
          details?: Json;
          id?: string;
          resource_id?: string | null;
          resource_type?: string;
        };
        Relationships: [];
      };
      booking_access_codes: {
        Row: {
          attempt: number;
          booking_id: string;
          created_at: string;
          ends_at: string;
          id: string;
          issued_at: string | null;
          mode: 'bridge' | 'hourly' | 'onetime';
          release_at: string;
          revoked_at: string | null;
          seen_at: string | null;
          starts_at: string;
          status: 'requested' | 'issued' | 'revoke_pending' | 'revoked' | 'failed';
          used_at: string | null;
        };
        Insert: {
          attempt: number;
          booking_id: string;
          created_at?: string;
          ends_at: string;
          id?: string;
          issued_at?: string | null;
          mode: string;
          release_at: string;
          revoked_at?: string | null;
          seen_at?: string | null;
          starts_at: string;
          status?: string;
          used_at?: string | null;
        };
        Update: {
          attempt?: number;
          booking_id?: string;
          created_at?: string;
          ends_at?: string;
          id?: string;
          issued_at?: string | null;
          mode?: string;
          release_at?: string;
          revoked_at?: string | null;
          seen_at?: string | null;
          starts_at?: string;
          status?: string;
          used_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'booking_access_codes_booking_id_fkey';
            columns: ['booking_id'];
            isOneToOne: false;
            referencedRelation: 'bookings';
            referencedColumns: ['id'];
          },
        ];
      };
      booking_drafts: {
        Row: {
          data: Json;
          updated_at: string;
          user_id: string;
        };
        Insert: {
          data: Json;
          updated_at?: string;
          user_id?: string;
        };
        Update: {
          data?: Json;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      business_settings: {
        Row: {
          created_at: string;
          created_by: string | null;
          settings: Json;
          version: number;
        };
        Insert: {
          created_at?: string;
          created_by?: string | null;
          settings: Json;
          version?: never;
        };
        Update: {
          created_at?: string;
          created_by?: string | null;
          settings?: Json;
          version?: never;
        };
        Relationships: [];
      };
      discount_codes: {
        Row: {
          active: boolean;
          code: string;
          created_at: string;
          current_uses: number;
          customer_email: string | null;
          description: string | null;
          discount_type: 'percentage' | 'fixed';
          discount_value: number;
          expires_at: string | null;
          from_hour: number | null;
          gift_batch_id: string | null;
          id: string;
          max_uses: number | null;
          min_hours: number | null;
          per_user_limit: number | null;
          until_hour: number | null;
          updated_at: string;
          valid_from: string | null;
          weekdays: number[] | null;
          works_when: string | null;
        };
        Insert: {
          active?: boolean;
          code: string;
          created_at?: string;
          current_uses?: number;
          customer_email?: string | null;
          description?: string | null;
          discount_type: string;
          discount_value: number;
          expires_at?: string | null;
          from_hour?: number | null;
          gift_batch_id?: string | null;
          id?: string;
          max_uses?: number | null;
          min_hours?: number | null;
          per_user_limit?: number | null;
          until_hour?: number | null;
          updated_at?: string;
          valid_from?: string | null;
          weekdays?: number[] | null;
          works_when?: string | null;
        };
        Update: {
          active?: boolean;
          code?: string;
          created_at?: string;
          current_uses?: number;
          customer_email?: string | null;
          description?: string | null;
          discount_type?: string;
          discount_value?: number;
          expires_at?: string | null;
          from_hour?: number | null;
          gift_batch_id?: string | null;
          id?: string;
          max_uses?: number | null;
          min_hours?: number | null;
          per_user_limit?: number | null;
          until_hour?: number | null;
          updated_at?: string;
          valid_from?: string | null;
          weekdays?: number[] | null;
          works_when?: string | null;
        };
        Relationships: [];
      };
      id_verifications: {
        Row: {
          age_at_verification: number | null;
          ai_confidence_score: number | null;
          ai_raw_response: Json | null;
          created_at: string;
          dob_matches: boolean | null;
          expires_at: string | null;
          extracted_dob: string | null;
          extracted_expiry_date: string | null;
          extracted_first_name: string | null;
          extracted_full_name: string | null;
          extracted_last_name: string | null;
          extracted_middle_name: string | null;
          failure_reasons: string[];
          id: string;
          image_path: string | null;
          is_expired: boolean | null;
          is_nsw_license: boolean | null;
          is_over_18: boolean | null;
          name_match_details: string | null;
          name_match_status: string | null;
          profile_dob: string | null;
          source: 'photo' | 'hosted' | 'staff';
          user_id: string;
          verification_status: 'verified' | 'review' | 'failed' | 'superseded';
          verified_at: string | null;
        };
        Insert: {
          age_at_verification?: number | null;
          ai_confidence_score?: number | null;
          ai_raw_response?: Json | null;
          created_at?: string;
          dob_matches?: boolean | null;
          expires_at?: string | null;
          extracted_dob?: string | null;
          extracted_expiry_date?: string | null;
          extracted_first_name?: string | null;
          extracted_full_name?: string | null;
          extracted_last_name?: string | null;
          extracted_middle_name?: string | null;
          failure_reasons?: string[];
          id?: string;
          image_path?: string | null;
          is_expired?: boolean | null;
          is_nsw_license?: boolean | null;
          is_over_18?: boolean | null;
          name_match_details?: string | null;
          name_match_status?: string | null;
          profile_dob?: string | null;
          source: string;
          user_id: string;
          verification_status: string;
          verified_at?: string | null;
        };
        Update: {
          age_at_verification?: number | null;
          ai_confidence_score?: number | null;
          ai_raw_response?: Json | null;
          created_at?: string;
          dob_matches?: boolean | null;
          expires_at?: string | null;
          extracted_dob?: string | null;
          extracted_expiry_date?: string | null;
          extracted_first_name?: string | null;
          extracted_full_name?: string | null;
          extracted_last_name?: string | null;
          extracted_middle_name?: string | null;
          failure_reasons?: string[];
          id?: string;
          image_path?: string | null;
          is_expired?: boolean | null;
          is_nsw_license?: boolean | null;
          is_over_18?: boolean | null;
          name_match_details?: string | null;
          name_match_status?: string | null;
          profile_dob?: string | null;
          source?: string;
          user_id?: string;
          verification_status?: string;
          verified_at?: string | null;
        };
        Relationships: [];
      };
      mailing_list: {
        Row: {
          bounce_reason: string | null;
          bounced_at: string | null;
          consented_at: string;
          created_at: string;
          email: string;
          id: string;
          unsubscribed_at: string | null;
        };
        Insert: {
          bounce_reason?: string | null;
          bounced_at?: string | null;
          consented_at?: string;
          created_at?: string;
          email: string;
          id?: string;
          unsubscribed_at?: string | null;
        };
        Update: {
          bounce_reason?: string | null;
          bounced_at?: string | null;
          consented_at?: string;
          created_at?: string;
          email?: string;
          id?: string;
          unsubscribed_at?: string | null;
        };
        Relationships: [];
      };
      price_lists: {
        Row: {
          created_at: string;
          hour_cents: number[];
          id: string;
          studio_id: string;
          valid_from: string;
          volume_percents: number[];
        };
        Insert: {
          created_at?: string;
          hour_cents: number[];
          id?: string;
          studio_id: string;
          valid_from: string;
          volume_percents: number[];
        };
        Update: {
          created_at?: string;
          hour_cents?: number[];
          id?: string;
          studio_id?: string;
          valid_from?: string;
          volume_percents?: number[];
        };
        Relationships: [
          {
            foreignKeyName: 'price_lists_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      profiles: {
        Row: {
          address: string | null;
          created_at: string;
          date_of_birth: string | null;
          dj_name: string | null;
          email: string | null;
          full_name: string | null;
          id: string;
          phone: string | null;
          remind_by_email: boolean;
          remind_by_text: boolean;
          thank_by_email: boolean;
          updated_at: string;
          user_id: string;
        };
        Insert: {
          address?: string | null;
          created_at?: string;
          date_of_birth?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          id: string;
          phone?: string | null;
          remind_by_email?: boolean;
          remind_by_text?: boolean;
          thank_by_email?: boolean;
          updated_at?: string;
          user_id: string;
        };
        Update: {
          address?: string | null;
          created_at?: string;
          date_of_birth?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          id?: string;
          phone?: string | null;
          remind_by_email?: boolean;
          remind_by_text?: boolean;
          thank_by_email?: boolean;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      scheduled_emails: {
        Row: {
          booking_id: string;
          created_at: string;
          email_type: 'access_code';
          id: string;
          recipient_email: string;
          scheduled_for: string;
          sent_at: string | null;
          status: 'pending' | 'pending_immediate' | 'sent' | 'cancelled';
        };
        Insert: {
          booking_id: string;
          created_at?: string;
          email_type: string;
          id?: string;
          recipient_email: string;
          scheduled_for: string;
          sent_at?: string | null;
          status: string;
        };
        Update: {
          booking_id?: string;
          created_at?: string;
          email_type?: string;
          id?: string;
          recipient_email?: string;
          scheduled_for?: string;
          sent_at?: string | null;
          status?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'scheduled_emails_booking_id_fkey';
            columns: ['booking_id'];
            isOneToOne: false;
            referencedRelation: 'bookings';
            referencedColumns: ['id'];
          },
        ];
      };
      special_days: {
        Row: {
          created_at: string;
          first_day: string;
          hour_cents: number[];
          id: string;
          last_day: string;
          name: string;
          studio_id: string;
        };
        Insert: {
          created_at?: string;
          first_day: string;
          hour_cents: number[];
          id?: string;
          last_day: string;
          name: string;
          studio_id: string;
        };
        Update: {
          created_at?: string;
          first_day?: string;
          hour_cents?: number[];
          id?: string;
          last_day?: string;
          name?: string;
          studio_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'special_days_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      staff_permissions: {
        Row: {
          created_at: string;
          permission: 'bookings' | 'identity' | 'money' | 'settings' | 'owner';
          user_id: string;
        };
        Insert: {
          created_at?: string;
          permission: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          permission?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'staff_permissions_user_id_fkey';
            columns: ['user_id'];
            isOneToOne: false;
            referencedRelation: 'user_roles';
            referencedColumns: ['user_id'];
          },
        ];
      };
      studios: {
        Row: {
          active: boolean;
          created_at: string;
          description: string;
          features: string[];
          hourly_rate: number;
          id: string;
          name: string;
          open_hours: boolean[];
          opened_at: string | null;
          photos: string[];
          sort_order: number;
          summary: string;
          title: string;
        };
        Insert: {
          active?: boolean;
          created_at?: string;
          description?: string;
          features?: string[];
          hourly_rate: number;
          id?: string;
          name: string;
          open_hours?: boolean[];
          opened_at?: string | null;
          photos?: string[];
          sort_order?: number;
          summary?: string;
          title?: string;
        };
        Update: {
          active?: boolean;
          created_at?: string;
          description?: string;
          features?: string[];
          hourly_rate?: number;
          id?: string;
          name?: string;
          open_hours?: boolean[];
          opened_at?: string | null;
          photos?: string[];
          sort_order?: number;
          summary?: string;
          title?: string;
        };
        Relationships: [];
      };
      terms_acceptances: {
        Row: {
          accepted_at: string;
          user_id: string;
          version: string;
        };
        Insert: {
          accepted_at?: string;
          user_id: string;
          version: string;
        };
        Update: {
          accepted_at?: string;
          user_id?: string;
          version?: string;
        };
        Relationships: [];
      };
      user_roles: {
        Row: {
          created_at: string;
          role: 'admin' | 'user';
          user_id: string;
        };
        Insert: {
          created_at?: string;
          role: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          role?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      waitlist_entries: {
        Row: {
          claim_until: string | null;
          created_at: string;
          end_time: string;
          id: string;
          place: number;
          start_time: string;
          state: 'waiting' | 'asked' | 'used' | 'passed' | 'left' | 'told';
          studio_id: string;
          user_id: string;
        };
        Insert: {
          claim_until?: string | null;
          created_at: string;
          end_time: string;
          id?: string;
          place?: never;
          start_time: string;
          state?: string;
          studio_id: string;
          user_id: string;
        };
        Update: {
          claim_until?: string | null;
          created_at?: string;
          end_time?: string;
          id?: string;
          place?: never;
          start_time?: string;
          state?: string;
          studio_id?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'waitlist_entries_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
    };
    Views: {
      booking_payments: {
        Row: {
          amount: number | null;
          booking_id: string | null;
          created_at: string | null;
          refunded: number | null;
          state: 'intent' | 'open' | 'processing' | 'failed' | 'expired' | 'paid' | 'refund_pending' | 'refunded' | 'refund_failed' | 'refund_manual' | 'disputed' | 'dispute_lost' | null;
          updated_at: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'payment_booking_id_fkey';
            columns: ['booking_id'];
            isOneToOne: false;
            referencedRelation: 'bookings';
            referencedColumns: ['id'];
          },
        ];
      };
      bookings: {
        Row: {
          base_cost: number | null;
          cancel_reason: 'hold_expired' | 'abandoned' | 'customer' | 'staff' | 'payment_failed' | 'slot_lost' | 'amount_mismatch' | 'replaced' | 'test_over' | null;
          cancelled_at: string | null;
          confirmed_at: string | null;
          contact_phone: string | null;
          coupon_discount: number | null;
          created_at: string | null;
          discount_amount: number | null;
          end_time: string | null;
          final_cost: number | null;
          guest_email: string | null;
          guest_name: string | null;
          hold_expires_at: string | null;
          id: string | null;
          id_verification_id: string | null;
          notes: string | null;
          reference: string | null;
          slots: Json | null;
          start_time: string | null;
          status: 'pending' | 'confirmed' | 'cancelled' | null;
          studio_id: string | null;
          studio_name: string | null;
          total_hours: number | null;
          user_id: string | null;
        };
        Insert: {
          base_cost?: number | null;
          cancel_reason?: string | null;
          cancelled_at?: string | null;
          confirmed_at?: string | null;
          contact_phone?: string | null;
          coupon_discount?: number | null;
          created_at?: string | null;
          discount_amount?: number | null;
          end_time?: string | null;
          final_cost?: number | null;
          guest_email?: string | null;
          guest_name?: string | null;
          hold_expires_at?: string | null;
          id?: string | null;
          id_verification_id?: string | null;
          notes?: string | null;
          reference?: string | null;
          slots?: Json | null;
          start_time?: string | null;
          status?: string | null;
          studio_id?: string | null;
          studio_name?: string | null;
          total_hours?: number | null;
          user_id?: string | null;
        };
        Update: {
          base_cost?: number | null;
          cancel_reason?: string | null;
          cancelled_at?: string | null;
          confirmed_at?: string | null;
          contact_phone?: string | null;
          coupon_discount?: number | null;
          created_at?: string | null;
          discount_amount?: number | null;
          end_time?: string | null;
          final_cost?: number | null;
          guest_email?: string | null;
          guest_name?: string | null;
          hold_expires_at?: string | null;
          id?: string | null;
          id_verification_id?: string | null;
          notes?: string | null;
          reference?: string | null;
          slots?: Json | null;
          start_time?: string | null;
          status?: string | null;
          studio_id?: string | null;
          studio_name?: string | null;
          total_hours?: number | null;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'booking_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      closed_hours: {
        Row: {
          closure_id: string | null;
          end_time: string | null;
          endless: boolean | null;
          public: boolean | null;
          reason: string | null;
          start_time: string | null;
          studio_id: string | null;
          weeks: number | null;
        };
        Relationships: [
          {
            foreignKeyName: 'closed_span_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      current_price_lists: {
        Row: {
          hour_cents: number[] | null;
          studio_id: string | null;
          valid_from: string | null;
          volume_percents: number[] | null;
        };
        Insert: {
          hour_cents?: number[] | null;
          studio_id?: string | null;
          valid_from?: string | null;
          volume_percents?: number[] | null;
        };
        Update: {
          hour_cents?: number[] | null;
          studio_id?: string | null;
          valid_from?: string | null;
          volume_percents?: number[] | null;
        };
        Relationships: [
          {
            foreignKeyName: 'price_lists_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      customer_contacts: {
        Row: {
          created_at: string | null;
          dj_name: string | null;
          email: string | null;
          full_name: string | null;
          phone: string | null;
          user_id: string | null;
        };
        Insert: {
          created_at?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          phone?: string | null;
          user_id?: string | null;
        };
        Update: {
          created_at?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          phone?: string | null;
          user_id?: string | null;
        };
        Relationships: [];
      };
      customer_identities: {
        Row: {
          address: string | null;
          date_of_birth: string | null;
          full_name: string | null;
          user_id: string | null;
        };
        Insert: {
          address?: string | null;
          date_of_birth?: string | null;
          full_name?: string | null;
          user_id?: string | null;
        };
        Update: {
          address?: string | null;
          date_of_birth?: string | null;
          full_name?: string | null;
          user_id?: string | null;
        };
        Relationships: [];
      };
      staff_names: {
        Row: {
          full_name: string | null;
          user_id: string | null;
        };
        Insert: {
          full_name?: string | null;
          user_id?: string | null;
        };
        Update: {
          full_name?: string | null;
          user_id?: string | null;
        };
        Relationships: [];
      };
      user_verifications: {
        Row: {
          id: string | null;
          user_id: string | null;
        };
        Relationships: [];
      };
    };
    Functions: {
      add_booking_note: {
        Args: {
          note_id: string;
          booking: string;
          note: string;
        };
        Returns: boolean;
      };
      add_customer_note: {
        Args: {
          note_id: string;
          customer: string;
          note: string;
        };
        Returns: boolean;
      };
      booking_crew: {
        Args: {
          bookings: string[];
        };
        Returns: {
          id: string | null;
          booking_id: string | null;
          state: string | null;
          name: string | null;
          invited_at: string | null;
          joined_at: string | null;
          revoked_at: string | null;
          saw_shared_code: boolean | null;
        }[];
      };
      booking_details: {
        Args: {
          reference: string;
        };
        Returns: Json;
      };
      bookings_of_day: {
        Args: {
          day: string;
        };
        Returns: {
          id: string | null;
          reference: string | null;
          user_id: string | null;
          studio_id: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          is_test: boolean | null;
          customer_name: string | null;
          customer_email: string | null;
          phone: string | null;
          code_due_at: string | null;
          code_requested_at: string | null;
          code_accepted_at: string | null;
          code_mailed_at: string | null;
          code_seen_at: string | null;
          code_used_at: string | null;
        }[];
      };
      business_numbers: {
        Args: {
          first_day: string;
          last_day: string;
          studio?: string;
        };
        Returns: Json;
      };
      calendar_feeds: {
        Args: never;
        Returns: {
          studio_id: string | null;
          created_at: string | null;
        }[];
      };
      campaigns: {
        Args: {
          most?: number;
        };
        Returns: {
          id: string | null;
          subject: string | null;
          body: string | null;
          made_by: string | null;
          created_at: string | null;
          per_minute: number | null;
          recipients: number | null;
          sent: number | null;
          bounced: number | null;
          skipped: number | null;
          stopped_at: string | null;
          finished_at: string | null;
        }[];
      };
      close_job: {
        Args: {
          job: string;
          reason: string;
        };
        Returns: boolean;
      };
      customer_messages: {
        Args: {
          customer: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          kind: string | null;
          subject: string | null;
          body: string | null;
          reference: string | null;
          made_by: string | null;
          at: string | null;
          sent_at: string | null;
          problem: string | null;
          closed: boolean | null;
        }[];
      };
      customer_notes: {
        Args: {
          customer: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          note: string | null;
          made_by: string | null;
          created_at: string | null;
        }[];
      };
      developer_pages_open: {
        Args: never;
        Returns: boolean;
      };
      discount_code_results: {
        Args: {
          codes: string[];
        };
        Returns: {
          coupon_id: string | null;
          bookings: number | null;
          sold: number | null;
          discount: number | null;
        }[];
      };
      free_hours: {
        Args: {
          first_day: string;
          days: number;
          studio?: string;
        };
        Returns: {
          day: string | null;
          hours: number | null;
          free: number | null;
        }[];
      };
      gift_batches: {
        Args: {
          most?: number;
        };
        Returns: {
          id: string | null;
          prefix: string | null;
          created_at: string | null;
          discount_type: string | null;
          discount_value: number | null;
          description: string | null;
          valid_from: string | null;
          expires_at: string | null;
          works_when: string | null;
          codes: number | null;
          used: number | null;
          active: number | null;
          sold: number | null;
          discount: number | null;
        }[];
      };
      has_permission: {
        Args: {
          permission: string;
        };
        Returns: boolean;
      };
      is_staff: {
        Args: never;
        Returns: boolean;
      };
      keep_blocked_booking: {
        Args: {
          booking: string;
        };
        Returns: boolean;
      };
      lacks_second_factor: {
        Args: {
          permission: string;
        };
        Returns: boolean;
      };
      leave_mailing_list: {
        Args: {
          subscription: string;
        };
        Returns: undefined;
      };
      ledger_check: {
        Args: {
          month: string;
        };
        Returns: Json;
      };
      mailing_list_counts: {
        Args: never;
        Returns: {
          subscribed: number | null;
          gone: number | null;
          bounced: number | null;
        }[];
      };
      make_gift_codes: {
        Args: {
          batch: string;
          amount: number;
          prefix: string;
          terms: Json;
        };
        Returns: number;
      };
      mark_no_show: {
        Args: {
          booking: string;
          missed: boolean;
        };
        Returns: boolean;
      };
      may_add_report_photo: {
        Args: never;
        Returns: boolean;
      };
      newest_bookings: {
        Args: {
          most?: number;
        };
        Returns: Database['public']['Views']['bookings']['Row'][];
        SetofOptions: {
          from: '*';
          to: 'bookings';
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      order_of_booking: {
        Args: {
          reference: string;
        };
        Returns: {
          place: number | null;
          size: number | null;
          booking_id: string | null;
          booking_reference: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          cents: number | null;
        }[];
      };
      own_booking: {
        Args: {
          booking: string;
        };
        Returns: Json;
      };
      own_bookings: {
        Args: never;
        Returns: {
          id: string | null;
          reference: string | null;
          studio_id: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          cancel_reason: string | null;
          hold_expires_at: string | null;
          total_hours: number | null;
          final_cost: number | null;
          coupon_code: string | null;
          coupon_type: string | null;
          coupon_value: number | null;
          free_cancel_hours: number | null;
          created_at: string | null;
          base_cost: number | null;
          volume_discount: number | null;
          slots: Json | null;
          order_id: string | null;
          order_place: number | null;
          order_size: number | null;
          terms_start: string | null;
        }[];
      };
      own_feedback: {
        Args: {
          booking: string;
        };
        Returns: Json;
      };
      remove_from_mailing_list: {
        Args: {
          address: string;
        };
        Returns: boolean;
      };
      retry_job: {
        Args: {
          job: string;
        };
        Returns: boolean;
      };
      search_audit_logs: {
        Args: {
          words?: string;
          before_at?: string;
          before_id?: string;
        };
        Returns: Database['public']['Tables']['audit_logs']['Row'][];
        SetofOptions: {
          from: '*';
          to: 'audit_logs';
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      search_customers: {
        Args: {
          words?: string;
          most?: number;
        };
        Returns: {
          user_id: string | null;
          full_name: string | null;
          email: string | null;
          phone: string | null;
          created_at: string | null;
          verified_until: string | null;
          bookings: number | null;
          paid: number | null;
          refunded: number | null;
          block_reason: string | null;
          blocked_until: string | null;
        }[];
      };
      search_guest_bookings: {
        Args: {
          words: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          reference: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          final_cost: number | null;
          guest_name: string | null;
          guest_email: string | null;
          contact_phone: string | null;
        }[];
      };
      search_mailing_list: {
        Args: {
          words?: string;
          most?: number;
        };
        Returns: {
          email: string | null;
          joined_at: string | null;
          left_at: string | null;
          bounced_at: string | null;
          bounce_reason: string | null;
        }[];
      };
      second_factor_rules: {
        Args: never;
        Returns: Json;
      };
      send_mail_again: {
        Args: {
          booking: string;
          mail: string;
        };
        Returns: boolean;
      };
      set_gift_batch_active: {
        Args: {
          batch: string;
          active: boolean;
        };
        Returns: number;
      };
      site_settings: {
        Args: never;
        Returns: Json;
      };
      site_texts: {
        Args: never;
        Returns: Json;
      };
      staff_alerts: {
        Args: {
          at?: string;
          most?: number;
        };
        Returns: {
          kind: string | null;
          since: string | null;
          due: string | null;
          job_id: string | null;
          job_kind: string | null;
          tries: number | null;
          problem: string | null;
          booking_id: string | null;
          reference: string | null;
          studio_name: string | null;
          start_time: string | null;
          customer_name: string | null;
        }[];
      };
      staff_calendar: {
        Args: {
          first_day: string;
          days?: number;
          studio?: string;
        };
        Returns: {
          kind: string | null;
          id: string | null;
          studio_id: string | null;
          start_time: string | null;
          end_time: string | null;
          reference: string | null;
          customer_name: string | null;
          customer_email: string | null;
          is_test: boolean | null;
          final_cost: number | null;
          reason: string | null;
          public: boolean | null;
          weeks: number | null;
        }[];
      };
      staff_ratings: {
        Args: {
          at?: string;
          most?: number;
        };
        Returns: Json;
      };
      staff_rooms: {
        Args: never;
        Returns: {
          id: string | null;
          room: Json | null;
          upcoming: number | null;
          opened: boolean | null;
        }[];
      };
      staff_team: {
        Args: {
          at?: string;
        };
        Returns: Json;
      };
      upcoming_bookings: {
        Args: {
          ends_after?: string;
          most?: number;
        };
        Returns: Database['public']['Views']['bookings']['Row'][];
        SetofOptions: {
          from: '*';
          to: 'bookings';
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      validate_discount_code: {
        Args: {
          code_input: string;
          booking_hours: number;
          booking_start?: string;
          booking_end?: string;
        };
        Returns: {
          id: string | null;
          code: string | null;
          discount_type: string | null;
          discount_value: number | null;
          min_hours: number | null;
          expires_at: string | null;
          max_uses: number | null;
          current_uses: number | null;
          is_valid: boolean | null;
          error_message: string | null;
          weekdays: number[] | null;
          from_hour: number | null;
          until_hour: number | null;
          works_when: string | null;
        }[];
      };
      waiting_moves: {
        Args: never;
        Returns: {
          booking_id: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          cents: number | null;
          until: string | null;
        }[];
      };
      waiting_reviews: {
        Args: {
          ends_after?: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          user_id: string | null;
          created_at: string | null;
          next_session: string | null;
          source: string | null;
          has_picture: boolean | null;
          failure_reasons: string[] | null;
          first_name: string | null;
          middle_name: string | null;
          last_name: string | null;
          date_of_birth: string | null;
          expiry_date: string | null;
          confidence: number | null;
          account_name: string | null;
          account_date_of_birth: string | null;
          account_email: string | null;
        }[];
      };
    };
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};
